import { explanations, type ExplainedCall } from '@mainstay/contract/identity/explanations'
import { useView, type View } from '../../api/use-view'

/** A short label for a call: its summary up to the first punctuation mark. */
const inShort = (summary: string) => summary.split(/[.;:,] /)[0]!

export interface Act extends ExplainedCall {
  label: string
}

/** All calls that can be explained, with unique labels; undefined while loading. */
export function useExplainedCalls(): Pick<View<readonly Act[]>, 'data' | 'problem' | 'reload'> {
  const { data, problem, reload } = useView(explanations.calls, {})
  const calls = data?.data ?? []
  const counts = new Map<string, number>()
  for (const { summary } of calls) counts.set(inShort(summary), (counts.get(inShort(summary)) ?? 0) + 1)
  const acts = calls.map((call) => {
    const label = inShort(call.summary)
    return { ...call, label: counts.get(label) === 1 ? label : `${label} (${call.name})` }
  })
  return { data: data && acts, problem, reload }
}
