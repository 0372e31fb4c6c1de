import { explanations, type ExplainedCall } from '@mainstay/contract/identity/explanations'
import { useView, type View } from '../../api/use-view'

/** What a call does in a few words: its first sentence, as far as that needs no further one. */
const inShort = (summary: string) => summary.split(/[.;:,] /)[0]!

export interface Act extends ExplainedCall {
  label: string
}

/** Every call that can be asked about, with words that tell it from all others; undefined until they are known. */
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
