#include "gpu/peers/cudnn_graph.h"

#include "gpu/peers/peer.h"

#include <algorithm>
#include <utility>

namespace tessera::cuda {

namespace {

enum TensorId : std::int64_t { idX = 1, idW = 2, idY = 3 };

CudnnApi openCudnn() {
    const peers::SearchPlaces places = peers::searchPlaces();
    CudnnApi api;
    api.library = peers::openLibrary({"libcudnn.so.9"}, places);
    peers::resolve(api.library, "cudnnCreate", api.create);
    peers::resolve(api.library, "cudnnDestroy", api.destroy);
    peers::resolve(api.library, "cudnnSetStream", api.setStream);
    peers::resolve(api.library, "cudnnGetVersion", api.version);
    peers::resolve(api.library, "cudnnGetErrorString", api.errorString);
    peers::resolve(api.library, "cudnnBackendCreateDescriptor", api.createDescriptor);
    peers::resolve(api.library, "cudnnBackendDestroyDescriptor", api.destroyDescriptor);
    peers::resolve(api.library, "cudnnBackendSetAttribute", api.setAttribute);
    peers::resolve(api.library, "cudnnBackendGetAttribute", api.getAttribute);
    peers::resolve(api.library, "cudnnBackendFinalize", api.finalize);
    peers::resolve(api.library, "cudnnBackendExecute", api.execute);
    return api;
}

Descriptor tensor(TensorId id, const CudnnConvolution &job, std::span<const std::int64_t> size,
                  std::span<const std::int64_t> stride) {
    Descriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::int64_t(id));
    descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, job.type);
    descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, job.alignment);
    descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, size);
    descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, stride);
    descriptor.finalize();
    return descriptor;
}

Descriptor convolutionShape(const CudnnConvolution &job) {
    constexpr std::array<std::int64_t, 2> ones{1, 1};
    Descriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t(2));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, job.padBefore);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, job.padAfter);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, ones);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, ones);
    descriptor.finalize();
    return descriptor;
}

// The graph, last, and the parts that it names.
std::vector<Descriptor> operationGraph(const CudnnHandle &handle, const CudnnConvolution &job) {
    std::vector<Descriptor> parts;
    parts.push_back(tensor(idX, job, job.xSize, job.xStride));
    parts.push_back(tensor(idW, job, job.wSize, job.wStride));
    parts.push_back(tensor(idY, job, job.ySize, job.yStride));
    parts.push_back(convolutionShape(job));
    Descriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, parts[0]);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, parts[1]);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, parts[2]);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, parts[3]);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0f);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 0.0f);
    operation.finalize();
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle.get());
    graph.finalize();
    parts.push_back(std::move(operation));
    parts.push_back(std::move(graph));
    return parts;
}

// The engine configurations that one mode of the heuristics proposes; none where the mode knows none.
std::vector<Descriptor> configurations(const Descriptor &graph, cudnnBackendHeurMode_t mode) {
    std::vector<Descriptor> found;
    try {
        Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
        heuristics.finalize();
        std::int64_t count = 0;
        checkCudnn(cudnn().getAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                        0, &count, nullptr),
                   "cudnnBackendGetAttribute");
        std::vector<cudnnBackendDescriptor_t> raw;
        for (std::int64_t i = 0; i < count; ++i) {
            found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
            raw.push_back(found.back().get());
        }
        std::int64_t given = 0;
        checkCudnn(cudnn().getAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                        count, &given, raw.data()),
                   "cudnnBackendGetAttribute");
        found.erase(found.begin() + std::min(given, count), found.end());
    } catch (const PeerError &) {
        found.clear(); // not every mode knows every operation
    }
    return found;
}

CudnnPlan planOf(const CudnnHandle &handle, std::shared_ptr<const std::vector<Descriptor>> graph,
                 Descriptor configuration) {
    CudnnPlan result{std::move(graph),
                     std::move(configuration),
                     Descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
                     0,
                     0,
                     false,
                     {}};
    result.plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle.get());
    result.plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, result.configuration);
    result.plan.finalize();
    std::int64_t count = 0;
    checkCudnn(cudnn().getAttribute(result.plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                    &count, &result.workspaceBytes),
               "cudnnBackendGetAttribute");
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    checkCudnn(cudnn().getAttribute(result.configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                    CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw),
               "cudnnBackendGetAttribute");
    checkCudnn(cudnn().getAttribute(raw, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &result.engine),
               "cudnnBackendGetAttribute");
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    count = 0;
    checkCudnn(cudnn().getAttribute(raw, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                    std::int64_t(notes.size()), &count, notes.data()),
               "cudnnBackendGetAttribute");
    result.notes.assign(notes.begin(), notes.begin() + std::clamp<std::int64_t>(count, 0, std::int64_t(notes.size())));
    return result;
}

} // namespace

const CudnnApi &cudnn() {
    static const CudnnApi &api = *new CudnnApi(openCudnn()); // needed by whatever is destroyed last
    return api;
}

void checkCudnn(cudnnStatus_t status, const char *call) {
    if (status != CUDNN_STATUS_SUCCESS)
        throw PeerError("cuDNN refused " + std::string(call) + ": " + cudnn().errorString(status));
}

CudnnHandle::CudnnHandle() {
    // Engines that compile at run time ask for this one by its name alone; opened first, it is found wherever it lies.
    static const peers::OpenLibrary compiler =
        peers::openLibrary({"libnvrtc.so.13", "libnvrtc.so.12"}, peers::searchPlaces());
    checkCudnn(cudnn().create(&handle_), "cudnnCreate");
}
CudnnHandle::~CudnnHandle() {
    if (handle_)
        cudnn().destroy(handle_);
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
    checkCudnn(cudnn().createDescriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
}
Descriptor::~Descriptor() {
    if (descriptor_)
        cudnn().destroyDescriptor(descriptor_);
}
Descriptor::Descriptor(Descriptor &&other) noexcept : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

void Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                     const void *values) {
    checkCudnn(cudnn().setAttribute(descriptor_, name, type, count, values), "cudnnBackendSetAttribute");
}

void Descriptor::finalize() { checkCudnn(cudnn().finalize(descriptor_), "cudnnBackendFinalize"); }

bool CudnnPlan::has(cudnnBackendNumericalNote_t note) const { return std::ranges::find(notes, note) != notes.end(); }

std::vector<CudnnPlan> proposedPlans(const CudnnHandle &handle, const CudnnConvolution &convolution) {
    const auto graph = std::make_shared<const std::vector<Descriptor>>(operationGraph(handle, convolution));
    std::vector<CudnnPlan> plans;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
        for (Descriptor &configuration : configurations(graph->back(), mode)) {
            try {
                plans.push_back(planOf(handle, graph, std::move(configuration)));
                plans.back().channelsLast = convolution.channelsLast;
            } catch (const PeerError &) {
                // proposed, but not for this device or these strides
            }
        }
    return plans;
}

Descriptor variantPack(void *x, void *w, void *y, void *workspace) {
    constexpr std::array<std::int64_t, 3> ids{idX, idW, idY};
    const std::array<void *, 3> pointers{x, w, y};
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::int64_t(pointers.size()),
             pointers.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
    pack.finalize();
    return pack;
}

} // namespace tessera::cuda
