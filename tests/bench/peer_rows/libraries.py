"""PyTorch, CuPy and OpenCV behind one interface. Each library is imported when it is asked for; where it is missing, or
cannot do a job, it is left out with the reason."""

import os
import time

import numpy

from . import data
from .data import PIXELS

GATE_CYCLES = 400_000  # 0.2 ms at 2 GHz: longer than a library's call takes on the host


class LeftOut(Exception):
    """Why a library does not take part."""


class Contender:
    """Data where the library wants it, in as many sets as the caller asks for."""

    variant = ""
    scope = "kernel"
    dense = True
    truncates = False  # integers are cut off instead of rounded
    stated = 0.0  # error before rounding
    resolution_ms = 0.5e-3  # of CUDA events
    note = ""
    device = "cuda:0"

    def rotations(self):
        return len(self.sources)

    def set_bytes(self):
        return 2 * self.picture.nbytes

    def __init__(self, picture, kernel, workload):
        self.picture, self.kernel, self.workload = picture, kernel, workload
        gain = float(numpy.abs(kernel.astype(numpy.float64)).sum())
        largest = 1.0 if picture.dtype.kind == "f" else float(numpy.iinfo(picture.dtype).max)
        self.stated = gain * largest * max((kernel.size + 4) * 2.0**-24, 2e-5)  # transforms are allowed


def sets_for(cache_bytes, set_bytes, cold):
    """So many that at least four times the cache goes by before a set comes round again."""
    return 1 if not cold else 2 + int(4 * cache_bytes // set_bytes)


# ---- PyTorch ----


class TorchConvolution(Contender):
    """conv2d of one channel, or of four as groups: cuDNN with its own search on and TF32 off."""

    variant = "torch-conv2d"

    def __init__(self, picture, kernel, workload, cold):
        super().__init__(picture, kernel, workload)
        try:
            import torch
        except ImportError as error:
            raise LeftOut(f"PyTorch is not installed ({error})") from error
        if not torch.cuda.is_available():
            raise LeftOut("PyTorch finds no CUDA device")
        if workload["border"] != "zero":
            raise LeftOut("conv2d pads with zeros only")
        if picture.dtype.kind != "f":
            raise LeftOut("conv2d takes floats and halves, not integers")
        if kernel.shape[0] % 2 == 0 or kernel.shape[1] % 2 == 0:
            raise LeftOut("conv2d pads both sides alike: sizes must be odd")
        self.torch = torch
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = False
        self.channels = 1 if picture.ndim == 2 else picture.shape[2]
        count = sets_for(torch.cuda.get_device_properties(0).L2_cache_size, self.set_bytes(), cold)
        if picture.dtype == numpy.float16:
            self.stated += float(numpy.abs(kernel).sum()) * 2.0**-10 + kernel.size * 2.0**-25  # taps are halves, too
        self._choose_layout(count)
        self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def _tensors(self, last):
        torch = self.torch
        form = torch.channels_last if last else torch.contiguous_format
        values = self.picture.reshape(*self.picture.shape[:2], self.channels).transpose(2, 0, 1)[None]
        picture = torch.from_numpy(numpy.ascontiguousarray(values)).cuda().contiguous(memory_format=form)
        taps = numpy.repeat(self.kernel[None, None], self.channels, axis=0).astype(self.picture.dtype)
        return picture, torch.from_numpy(taps).cuda().contiguous(memory_format=form)

    def _convolve(self, picture):
        height, width = self.kernel.shape
        return self.torch.nn.functional.conv2d(picture, self.weights, padding=(height // 2, width // 2),
                                               groups=self.channels)

    def _choose_layout(self, count):
        torch, times = self.torch, {}
        for last in (False, True):
            picture, self.weights = self._tensors(last)
            with torch.no_grad():
                self._convolve(picture)  # searches
                torch.cuda.synchronize()
                start = time.perf_counter()
                for _ in range(3):
                    self._convolve(picture)
                torch.cuda.synchronize()
            times[last] = time.perf_counter() - start
        best = min(times, key=times.get)
        picture, self.weights = self._tensors(best)
        self.sources = [picture] + [picture.clone() for _ in range(count - 1)]
        self.targets = [None] * count
        self.note = ("channels last" if best else "channels first") + f", PyTorch {torch.__version__}, cuDNN " \
            f"{torch.backends.cudnn.version()}, no TF32"

    def run(self, rotation):
        with self.torch.no_grad():
            self.targets[rotation] = self._convolve(self.sources[rotation])

    def finish(self):
        self.torch.cuda.synchronize()

    def measure(self, rotation):
        self.torch.cuda._sleep(GATE_CYCLES)  # holds the stream back while the host queues
        self.start.record()
        self.run(rotation)
        self.end.record()
        self.end.synchronize()
        return self.start.elapsed_time(self.end)

    def result(self):
        values = self.targets[0][0].permute(1, 2, 0).cpu().numpy()
        return values[:, :, 0] if self.channels == 1 else values


# ---- CuPy ----


class CupyContender(Contender):
    def __init__(self, picture, kernel, workload, cold):
        super().__init__(picture, kernel, workload)
        try:
            import cupy
            import cupyx.scipy.ndimage
            import cupyx.scipy.signal
        except ImportError as error:
            raise LeftOut(f"CuPy is not installed ({error})") from error
        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise LeftOut(f"CuPy finds no CUDA device ({error})") from error
        self.cupy, self.cupyx = cupy, cupyx
        self.check_job()
        cache = cupy.cuda.Device(0).attributes["L2CacheSize"]
        count = sets_for(cache, self.set_bytes(), cold)
        self.sources = [cupy.asarray(picture) for _ in range(count)]
        self.targets = [cupy.empty_like(self.sources[0]) for _ in range(count)]
        taps = kernel if picture.ndim == 2 else kernel[:, :, None]
        self.taps = cupy.asarray(taps)
        self.start, self.end = cupy.cuda.Event(), cupy.cuda.Event()
        self.gate = cupy.RawKernel(
            'extern "C" __global__ void gate(long long cycles) {'
            " const long long start = clock64(); while (clock64() - start < cycles) {} }", "gate")
        self.note = f"CuPy {cupy.__version__}"

    def check_job(self):
        pass

    def finish(self):
        self.cupy.cuda.Device().synchronize()

    def measure(self, rotation):
        self.gate((1,), (1,), (numpy.int64(GATE_CYCLES),))
        self.start.record()
        self.run(rotation)
        self.end.record()
        self.end.synchronize()
        return float(self.cupy.cuda.get_elapsed_time(self.start, self.end))

    def result(self):
        return self.targets[0].get()


class CupyCorrelate(CupyContender):
    """ndimage.correlate: one thread a pixel, any border."""

    variant = "cupy-correlate"
    truncates = True
    MODES = {"zero": "constant", "replicate": "nearest", "reflect": "reflect", "reflect101": "mirror", "wrap": "wrap"}

    def run(self, rotation):
        self.cupyx.scipy.ndimage.correlate(self.sources[rotation], self.taps, output=self.targets[rotation],
                                           mode=self.MODES[self.workload["border"]], cval=0.0)


class CupyFftConvolve(CupyContender):
    """signal.fftconvolve: cuFFT with sizes, plans and buffers of CuPy's choice."""

    variant = "cupy-fftconvolve"
    dense = False

    def check_job(self):
        if self.workload["border"] != "zero":
            raise LeftOut("fftconvolve pads with zeros only")
        if self.picture.dtype != numpy.float32:
            raise LeftOut("fftconvolve is run on float32")
        if self.kernel.shape[0] % 2 == 0 or self.kernel.shape[1] % 2 == 0:
            raise LeftOut("fftconvolve's 'same' is another pixel for even sizes")

    def run(self, rotation):
        self.targets[rotation] = self.cupyx.scipy.signal.fftconvolve(
            self.sources[rotation], self.taps[::-1, ::-1], mode="same", axes=(0, 1))


# ---- OpenCV ----


def last_cache_bytes():
    """Of the processor; 32 MB where the system does not tell."""
    best = 0
    folder = "/sys/devices/system/cpu/cpu0/cache"
    for entry in os.listdir(folder) if os.path.isdir(folder) else []:
        try:
            with open(os.path.join(folder, entry, "size"), encoding="ascii") as file:
                text = file.read().strip()
            best = max(best, int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1], 1))
        except (OSError, ValueError):
            continue
    return best or 32 << 20


class OpencvFilter2D(Contender):
    """filter2D on the CPU, all threads."""

    variant = "opencv-python-filter2d"
    scope = "call"
    device = "cpu"
    resolution_ms = 50e-6

    def __init__(self, picture, kernel, workload, cold):
        super().__init__(picture, kernel, workload)
        try:
            import cv2
        except ImportError as error:
            raise LeftOut(f"OpenCV's Python is not installed ({error})") from error
        self.cv2 = cv2
        self.border = {"zero": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
                       "reflect101": cv2.BORDER_REFLECT_101}.get(workload["border"])  # fmt: skip
        if self.border is None:
            raise LeftOut(f"filter2D has no border '{workload['border']}'")
        if picture.dtype == numpy.float16:
            raise LeftOut("filter2D takes no halves")
        count = min(sets_for(last_cache_bytes(), self.set_bytes(), cold), 64)
        self.sources = [picture.copy() for _ in range(count)]
        self.targets = [numpy.empty_like(picture) for _ in range(count)]
        self.note = f"OpenCV {cv2.__version__}, {cv2.getNumThreads()} threads"
        self.dense = kernel.size < 121  # from 11x11 on it turns to a discrete Fourier transform
        if picture.dtype.kind != "f":
            self.stated += 0.5  # its fixed-point sums round once more

    def run(self, rotation):
        self.cv2.filter2D(self.sources[rotation], -1, self.kernel, dst=self.targets[rotation], borderType=self.border)

    def finish(self):
        pass

    def measure(self, rotation):
        start = time.perf_counter()
        self.run(rotation)
        return 1000 * (time.perf_counter() - start)

    def result(self):
        return self.targets[0]


class OpencvCudaFilter(Contender):
    """cv2.cuda's linear filter, in the few builds that have it."""

    variant = "opencv-cuda-filter"

    def __init__(self, picture, kernel, workload, cold):
        super().__init__(picture, kernel, workload)
        try:
            import cv2
        except ImportError as error:
            raise LeftOut(f"OpenCV's Python is not installed ({error})") from error
        if not hasattr(cv2, "cuda") or not hasattr(cv2.cuda, "createLinearFilter"):
            raise LeftOut("this OpenCV was built without its CUDA filters")
        if cv2.cuda.getCudaEnabledDeviceCount() == 0:
            raise LeftOut("OpenCV finds no CUDA device")
        border = {"zero": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
                  "reflect101": cv2.BORDER_REFLECT_101}.get(workload["border"])  # fmt: skip
        kind = {("uint8", 1): cv2.CV_8UC1, ("uint8", 4): cv2.CV_8UC4, ("uint16", 1): cv2.CV_16UC1,
                ("float32", 1): cv2.CV_32FC1, ("float32", 4): cv2.CV_32FC4}.get(PIXELS[workload["pixel"]])  # fmt: skip
        if border is None or kind is None:
            raise LeftOut("its filter does not take this pixel type or border")
        self.cv2 = cv2
        self.filter = cv2.cuda.createLinearFilter(kind, kind, kernel, borderMode=border)
        count = sets_for(64 << 20, self.set_bytes(), cold)
        self.stream = cv2.cuda.Stream()
        self.sources = [cv2.cuda.GpuMat(picture) for _ in range(count)]
        self.targets = [cv2.cuda.GpuMat(picture.shape[0], picture.shape[1], kind) for _ in range(count)]
        self.start, self.end = cv2.cuda.Event(), cv2.cuda.Event()
        self.note = f"OpenCV {cv2.__version__}"

    def run(self, rotation):
        self.filter.apply(self.sources[rotation], self.targets[rotation], stream=self.stream)

    def finish(self):
        self.stream.waitForCompletion()

    def measure(self, rotation):
        self.start.record(self.stream)
        self.run(rotation)
        self.end.record(self.stream)
        self.end.waitForCompletion()
        return self.cv2.cuda.Event.elapsedTime(self.start, self.end)

    def result(self):
        return self.targets[0].download()


LIBRARIES = {
    "torch": [TorchConvolution],
    "cupy": [CupyCorrelate, CupyFftConvolve],
    "opencv": [OpencvFilter2D, OpencvCudaFilter],
}


def gpu_name():
    """Of the first GPU, by whichever library is there; None where none is."""
    try:
        import torch

        if torch.cuda.is_available():
            return torch.cuda.get_device_name(0)
    except ImportError:
        pass
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except Exception:  # noqa: BLE001 - no library, no driver, no device: there is no name
        return None


def base_row(contender, cache):
    workload = contender.workload
    values = contender.picture.size
    return {
        "variant": contender.variant,
        "device": contender.device,
        "work": "convolution",
        **{name: workload[name] for name in ("width", "height", "kernel_width", "kernel_height", "kernel", "pixel",
                                             "border")},
        "cache": cache,
        "scope": contender.scope,
        "median_ms": None,
        "p5_ms": None,
        "p95_ms": None,
        "samples": 0,
        "bytes": 2.0 * contender.picture.nbytes,
        "operations": 2.0 * values * contender.kernel.size,
        "unit": "fp32",
        "share_of": "roofline" if contender.dense else "memory",
        "tie_with": [],
        "failure": None,
        "note": contender.note,
    }  # fmt: skip


__all__ = ["LIBRARIES", "Contender", "LeftOut", "base_row", "data", "gpu_name"]
