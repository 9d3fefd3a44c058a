/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// In-tree only: shows every GoogleTest case of this library to ns-3's test-runner / test.py as a
// TestCase of the suite "llm-fabric". RUN_ALL_TESTS runs once; each TestCase reports its result.
#include "ns3/test.h"

#include <gtest/gtest.h>

namespace
{

class GtestCase : public ns3::TestCase
{
  public:
    explicit GtestCase(const testing::TestInfo* info)
        : TestCase(std::string(info->test_suite_name()) + "." + info->name()),
          m_info(info)
    {
    }

  private:
    void DoRun() override
    {
        const testing::TestResult* r = m_info->result();
        for (int i = 0; i < r->total_part_count(); ++i)
        {
            const testing::TestPartResult& p = r->GetTestPartResult(i);
            if (p.failed())
            {
                ReportTestFailure("gtest",
                                  "failed",
                                  "passed",
                                  p.message(),
                                  p.file_name() ? p.file_name() : "?",
                                  p.line_number());
            }
        }
        // A skipped or empty case stays green, as under gtest_main.
    }

    const testing::TestInfo* m_info;
};

class GtestBridgeSuite : public ns3::TestSuite
{
  public:
    GtestBridgeSuite()
        : TestSuite("llm-fabric", Type::UNIT)
    {
    }

  private:
    // DoSetup, not the constructor: by now every TEST() has registered itself, and a listing
    // (test-runner --list) does not start gtest.
    void DoSetup() override
    {
        testing::InitGoogleTest();
        auto& unit = *testing::UnitTest::GetInstance();
        // stdout belongs to test-runner, test.py compares / parses it
        delete unit.listeners().Release(unit.listeners().default_result_printer());
        [[maybe_unused]] int rc = RUN_ALL_TESTS();
        for (int i = 0; i < unit.total_test_suite_count(); ++i)
        {
            const testing::TestSuite* suite = unit.GetTestSuite(i);
            for (int j = 0; j < suite->total_test_count(); ++j)
            {
                const testing::TestInfo* info = suite->GetTestInfo(j);
                if (info->should_run())
                {
                    AddTestCase(new GtestCase(info));
                }
            }
        }
    }
};

GtestBridgeSuite g_llmFabricGtestBridge;

} // namespace
