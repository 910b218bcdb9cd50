tessera_test(inspection_test SOURCES inspection_test.cpp LINKS tessera_bench LABELS app)
