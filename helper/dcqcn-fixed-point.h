/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCQCN_FIXED_POINT_H
#define DCQCN_FIXED_POINT_H

#include <cstdint>
#include <optional>

namespace ns3
{
namespace llmfabric
{

/**
 * What decides where DCQCN settles, in packets and seconds. The defaults are those of the DCQCN
 * paper (Zhu et al., SIGCOMM 2015, section 5, figure 14) with packets of 1000 B.
 */
struct DcqcnParameters
{
    uint32_t flows{2};        //!< N, flows that share the link
    double capacity{5e6};     //!< C, packets/s (40 Gb/s)
    double additive{5e3};     //!< R_AI, packets/s (40 Mb/s)
    double byteCounter{1e4};  //!< B, packets (10 MB)
    double timer{55e-6};      //!< T, timer of increases, s
    double alphaTimer{55e-6}; //!< tau', timer of alpha, s
    double cnpInterval{5e-5}; //!< tau, least time between CNPs, s
    double fastStages{5};     //!< F, pure halvings after a cut
    double kmin{5};           //!< no marks up to this queue, packets
    double kmax{200};         //!< probability Pmax at this queue, packets
    double pmax{0.01};        //!< Pmax
};

/**
 * @ingroup llm-fabric
 * The fixed point of the fluid model of DCQCN (Zhu, Ghobadi, Misra, Padhye, "ECN or Delay: Lessons
 * Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016, section 3): all flows send at R = C / N,
 * and the mark probability p solves
 *
 *     alpha a^2 / tau^2 = R_AI R (b + d) (c + e)
 *     a = 1 - (1-p)^(tau R)              alpha = 1 - (1-p)^(tau' R)
 *     b = p / ((1-p)^(-B) - 1)           c = b (1-p)^(F B)
 *     d = p / ((1-p)^(-T R) - 1)         e = d (1-p)^(F T R)
 *
 * The left side rises with p and the right side falls, so there is one solution. The queue is then
 * where the switch marks with p: Kmin + p / Pmax (Kmax - Kmin).
 */
class DcqcnFixedPoint
{
  public:
    /** @param parameters the link, the flows and their congestion control; all above 0 */
    explicit DcqcnFixedPoint(const DcqcnParameters& parameters);

    /** @return p, the share of packets that is marked */
    double GetProbability() const
    {
        return m_probability;
    }

    /** @return alpha of each flow */
    double GetAlpha() const;

    /** @return queue, packets; absent if p > Pmax: then it stays at Kmax and swings around it */
    std::optional<double> GetQueue() const;

    /**
     * @return p by the approximation for small p (same paper, equation 14):
     *         (R_AI N^2 / (tau' C^2) (1/B + N/(T C))^2)^(1/3)
     */
    double GetApproximation() const;

  private:
    /**
     * @param p a mark probability
     * @return left side less right side of the equation; negative below the solution
     */
    double GetExcess(double p) const;

    DcqcnParameters m_parameters; //!< the system
    double m_rate;                //!< R, packets/s
    double m_probability{0};      //!< p
};

} // namespace llmfabric
} // namespace ns3

#endif /* DCQCN_FIXED_POINT_H */
