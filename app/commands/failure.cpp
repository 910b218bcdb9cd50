#include "app/commands/failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>

namespace tessera {

Error currentFailure() {
    try {
        throw;
    } catch (const Error &problem) {
        return problem;
    } catch (const std::bad_alloc &) {
        return {ErrorKind::Limit, "there is not enough memory",
                "lower --jobs or --max-memory, or use smaller pictures"};
    } catch (const std::exception &problem) {
        return {ErrorKind::Internal, std::string("unexpected error: ") + problem.what(), "please report it"};
    }
}

ErrorKind kindOfRefusedOutput(int error) {
    constexpr std::array ofTheName{ENOENT, ENOTDIR, EISDIR, EEXIST, EACCES, EPERM,       EROFS,
                                   ELOOP,  EINVAL,  ENXIO,  ENODEV, EBADF,  ENAMETOOLONG};
    return std::ranges::find(ofTheName, error) == ofTheName.end() ? ErrorKind::Output : ErrorKind::Usage;
}

} // namespace tessera
