foreach(part samples protocol accuracy report participants)
    tessera_test(bench_${part}_test SOURCES bench_${part}_test.cpp LINKS tessera_bench nlohmann_json::nlohmann_json
        LABELS app)
endforeach()
