// A stand-in for libcudnn's graph interface: one forward convolution, by its definition, through descriptors that check
// what they are given. Its engines: 0 uses tensor cores and 1 Winograd, both too inexact to be taken; 2 transforms and
// is exact; 3 and 9 are plain.
#include <cstdint>
#include <cstring>
#include <cudnn.h>
#include <map>
#include <memory>
#include <vector>

namespace {

struct Node {
    bool finalized = false;
    std::map<int, std::vector<std::byte>> values;
    std::map<int, std::vector<std::shared_ptr<Node>>> parts;
    std::int64_t engine = 0;
    std::shared_ptr<Node> graph; // of an engine configuration

    template <class T> std::vector<T> all(cudnnBackendAttributeName_t name) const {
        const std::vector<std::byte> &bytes = values.at(name);
        std::vector<T> list(bytes.size() / sizeof(T));
        std::memcpy(list.data(), bytes.data(), bytes.size());
        return list;
    }
    template <class T> T one(cudnnBackendAttributeName_t name) const { return all<T>(name).at(0); }
    const Node &part(cudnnBackendAttributeName_t name) const { return *parts.at(name).at(0); }
};
using Handle = std::shared_ptr<Node>;

Handle &nodeOf(cudnnBackendDescriptor_t descriptor) { return *reinterpret_cast<Handle *>(descriptor); }

std::size_t bytesOf(cudnnBackendAttributeType_t type) {
    return type == CUDNN_TYPE_INT64 || type == CUDNN_TYPE_HANDLE || type == CUDNN_TYPE_VOID_PTR ? 8 : 4;
}

struct Tensor {
    std::vector<std::int64_t> size, stride;
    char *data = nullptr;
    bool half = false;

    Tensor(const Node &node, const Node &pack)
        : size(node.all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)),
          stride(node.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES)),
          half(node.one<int>(CUDNN_ATTR_TENSOR_DATA_TYPE) == CUDNN_DATA_HALF) {
        const auto ids = pack.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
        const auto pointers = pack.all<char *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
        const auto alignment = node.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (ids[i] == node.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID) &&
                reinterpret_cast<std::uintptr_t>(pointers[i]) % std::uintptr_t(alignment) == 0)
                data = pointers[i];
    }
    char *at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
        return data + (n * stride[0] + c * stride[1] + y * stride[2] + x * stride[3]) * (half ? 2 : 4);
    }
    float load(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
        _Float16 small;
        float value;
        std::memcpy(&small, at(n, c, y, x), sizeof small);
        if (half)
            return float(small);
        std::memcpy(&value, at(n, c, y, x), sizeof value);
        return value;
    }
    void store(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x, float value) const {
        const _Float16 small = _Float16(value);
        std::memcpy(at(n, c, y, x), half ? static_cast<const void *>(&small) : &value, half ? 2 : 4);
    }
};

float sumAt(const Tensor &x, const Tensor &w, const std::vector<std::int64_t> &pad, std::int64_t c, std::int64_t row,
            std::int64_t column) {
    float sum = 0;
    for (std::int64_t v = 0; v < w.size[2]; ++v)
        for (std::int64_t u = 0; u < w.size[3]; ++u) {
            const std::int64_t sy = row + v - pad[0], sx = column + u - pad[1];
            if (sy >= 0 && sx >= 0 && sy < x.size[2] && sx < x.size[3])
                sum += w.load(c, 0, v, u) * x.load(0, c, sy, sx);
        }
    return sum;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
    *handle = reinterpret_cast<cudnnHandle_t>(new int(0));
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    delete reinterpret_cast<int *>(handle);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; }
std::size_t cudnnGetVersion() { return 90000; }
const char *cudnnGetErrorString(cudnnStatus_t) { return "refused by the stand-in"; }

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t, cudnnBackendDescriptor_t *descriptor) {
    *descriptor = reinterpret_cast<cudnnBackendDescriptor_t>(new Handle(std::make_shared<Node>()));
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    delete reinterpret_cast<Handle *>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    nodeOf(descriptor)->finalized = true;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count, const void *values) {
    Node &node = *nodeOf(descriptor);
    if (node.finalized)
        return CUDNN_STATUS_BAD_PARAM;
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        const auto *list = static_cast<const cudnnBackendDescriptor_t *>(values);
        for (std::int64_t i = 0; i < count; ++i) {
            if (!nodeOf(list[i])->finalized)
                return CUDNN_STATUS_BAD_PARAM;
            node.parts[name].push_back(nodeOf(list[i]));
        }
        return CUDNN_STATUS_SUCCESS;
    }
    const auto *bytes = static_cast<const std::byte *>(values);
    node.values[name].assign(bytes, bytes + std::size_t(count) * bytesOf(type));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, std::int64_t wanted, std::int64_t *count,
                                       void *values) {
    const Node &node = *nodeOf(descriptor);
    *count = 1;
    switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS: {
        const bool first = node.one<int>(CUDNN_ATTR_ENGINEHEUR_MODE) == CUDNN_HEUR_MODE_A;
        *count = first ? 4 : 1;
        for (std::int64_t i = 0; i < std::min(wanted, *count); ++i) {
            Node &configuration = *nodeOf(static_cast<cudnnBackendDescriptor_t *>(values)[i]);
            configuration.engine = first ? i : 9;
            configuration.graph = node.parts.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).at(0);
            configuration.finalized = true;
        }
        return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_ATTR_ENGINECFG_ENGINE:
        nodeOf(*static_cast<cudnnBackendDescriptor_t *>(values))->engine = node.engine;
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
        *static_cast<std::int64_t *>(values) = 128;
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
        *static_cast<std::int64_t *>(values) = node.engine;
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE: {
        constexpr cudnnBackendNumericalNote_t notes[] = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE,
                                                         CUDNN_NUMERICAL_NOTE_WINOGRAD, CUDNN_NUMERICAL_NOTE_FFT};
        *count = node.engine < 3 ? 1 : 0;
        if (*count == 1)
            *static_cast<cudnnBackendNumericalNote_t *>(values) = notes[node.engine];
        return CUDNN_STATUS_SUCCESS;
    }
    default:
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
    const Node &configuration = nodeOf(plan)->part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    const Node &operation = configuration.graph->part(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    const Node &shape = operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    const Tensor x(operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X), *nodeOf(pack));
    const Tensor w(operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W), *nodeOf(pack));
    const Tensor y(operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y), *nodeOf(pack));
    const auto before = shape.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    const auto after = shape.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    if (!x.data || !w.data || !y.data || w.size[0] != x.size[1] || w.size[1] != 1) // one filter a channel
        return CUDNN_STATUS_BAD_PARAM;
    for (std::size_t i = 0; i < 2; ++i)
        if (x.size[2 + i] + before[i] + after[i] - w.size[2 + i] + 1 != y.size[2 + i])
            return CUDNN_STATUS_BAD_PARAM;
    const float scale = configuration.engine < 2 ? 1.01f : 1.0f;
    for (std::int64_t c = 0; c < y.size[1]; ++c)
        for (std::int64_t row = 0; row < y.size[2]; ++row)
            for (std::int64_t column = 0; column < y.size[3]; ++column)
                y.store(0, c, row, column, scale * sumAt(x, w, before, c, row, column));
    return CUDNN_STATUS_SUCCESS;
}
}
