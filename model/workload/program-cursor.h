/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_CURSOR_H
#define PROGRAM_CURSOR_H

#include "rank-program.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Where one rank is in its program: says which ops may start.
 *
 *     TakeReady() -> start those ops; each once it is over -> Finish() -> TakeReady() ... IsDone()
 *
 * Ops are read ahead until some hundred computations or some thousand ops wait, so the memory does
 * not grow with the program. What a program lists later than that is not started before, even if
 * it waits for nothing.
 */
class ProgramCursor
{
  public:
    /// An op that was started and is not over, or the next to start.
    struct Entry
    {
        uint64_t index; //!< place in the program
        ProgramOp op;   //!< the op
    };

    /**
     * @param program the program; must outlive this
     */
    explicit ProgramCursor(const RankProgram& program);

    /**
     * @return ops that may start now, in the order of the program; each is given once
     */
    std::vector<Entry> TakeReady();

    /**
     * @param index an op that was taken and is over now
     */
    void Finish(uint64_t index);

    /**
     * @return whether all ops are over
     */
    bool IsDone() const;

    /**
     * @return ops that were taken and are not over, in the order of the program
     */
    std::vector<Entry> GetRunning() const;

  private:
    /// Ops of one stream that were read and have not ended.
    struct Stream
    {
        std::deque<uint64_t> waiting; //!< not started, in order
        bool busy{false};             //!< one has started and is not over
        Entry running{};              //!< that one
    };

    /// Read ops until enough of them wait.
    void ReadAhead();

    /**
     * @param index an op
     * @return whether it is over
     */
    bool IsOver(uint64_t index) const;

    /**
     * @param index an op
     * @return whether all that it must wait for is over
     */
    bool MayStart(uint64_t index) const;

    const RankProgram* m_program;         //!< the program
    std::map<uint32_t, Stream> m_streams; //!< by number
    uint64_t m_read{0};                   //!< ops read
    uint64_t m_waiting{0};                //!< ops read and not started
    uint64_t m_computeWaiting{0};         //!< computations among them
    uint64_t m_base{0};                   //!< all ops below are over
    std::deque<bool> m_over;              //!< from m_base to m_read: whether it is over
};

} // namespace llmfabric
} // namespace ns3

#endif /* PROGRAM_CURSOR_H */
