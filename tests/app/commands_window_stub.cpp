// Stands for the window's module: shows that the door works without opening anything.
#include <cstdio>

extern "C" int runWindow(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        std::printf("[%s]", argv[i]);
    std::printf("\n");
    return argc > 3 ? 3 : 0;
}
