// Statistics of a picture of integers that is counted while it is made: part by part, while each still lies in the
// caches, and on several threads.
#pragma once

#include "app/stats/statistics.h"

#include <memory>

namespace tessera {

class LevelCounts {
public:
    LevelCounts();
    ~LevelCounts();

    // Counts the pixels of a part. All parts have one format, 8 or 16 bits deep. From any thread.
    void count(const ConstPixelView &part);

    // What computeStatistics() says of all parts together, exactly; without channels where nothing was counted.
    ImageStatistics statistics() const;

private:
    class Counters;
    std::unique_ptr<Counters> counters_;
};

} // namespace tessera
