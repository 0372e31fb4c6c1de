import { useEffect, useState } from 'react'
import { reach, type ReachAnswer, type ReachQuestion } from '@mainstay/contract/networking/reach'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { NumberField } from '../../../ui/fields/NumberField'
import { Select } from '../../../ui/fields/Select'
import { Panel } from '../../../ui/Panel'
import { Verdict } from '../../../patterns/CheckTrace'
import { useNetworkingCan } from '../../../pickers/use-network-service'
import { EndChoice, type ChosenEnd } from './EndChoice'
import { ReachSteps } from './ReachSteps'
import { decidingKinds, questionOf, stateOfVerdict, verdictKeys } from './reach-words'
import css from './reach.module.css'

interface ReachPanelProps {
  /** Called with the result of the current check. */
  onAnswer?: (answer: ReachAnswer | undefined) => void
  start?: { source?: ChosenEnd; destination?: ChosenEnd }
  /** Replaces the default title. Used where the page itself has that title. */
  title?: string
}

const protocols = [
  { id: 'tcp', label: 'TCP' },
  { id: 'udp', label: 'UDP' },
  { id: 'icmp', label: 'ICMP' },
] as const

interface Asked {
  key: string
  words: string
  verdict: ReachAnswer['verdict']
}

/** Number of previous results to show. */
const MOST_ASKED = 4

/**
 * Connectivity check. It runs as soon as source and destination are selected, and shows hop by hop what allows or
 * blocks the traffic.
 */
export function ReachPanel({ onAnswer, start = {}, title }: ReachPanelProps) {
  const t = useT('networking')
  const shell = useT('shell')
  const [source, setSource] = useState<ChosenEnd | null>(start.source ?? null)
  const [destination, setDestination] = useState<ChosenEnd | null>(start.destination ?? null)
  const [protocol, setProtocol] = useState<ReachQuestion['protocol']>('tcp')
  const [port, setPort] = useState<number | null>(22)
  const [asked, setAsked] = useState<readonly Asked[]>([])
  const question = questionOf(source?.id ?? null, destination?.id ?? null, protocol, port)
  const { data, problem, isLoading } = useView(
    reach.ask,
    {},
    { madeOf: decidingKinds, body: question ?? {}, isEnabled: question !== null },
  )
  const answer = question === null ? undefined : data
  const what = protocol === 'icmp' ? t('reach.ping') : `${protocol.toUpperCase()} ${port ?? ''}`
  const words = t('reach.asked', { from: source?.label ?? '', to: destination?.label ?? '', what })
  const key = JSON.stringify(question)

  useEffect(() => {
    onAnswer?.(answer)
    if (!answer) return
    const { verdict } = answer
    setAsked((before) => [{ key, words, verdict }, ...before.filter((it) => it.key !== key)].slice(0, MOST_ASKED + 1))
    // run once per answer
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [answer])

  return (
    <Panel title={title ?? t('reach.title')}>
      <div className={css.fields}>
        <EndChoice label={t('reach.from')} chosen={source} onChoose={setSource} />
        <EndChoice label={t('reach.to')} chosen={destination} onChoose={setDestination} />
        <div className={css.pair}>
          <Select label={t('rules.protocol')} items={protocols} value={protocol} onChange={setProtocol} />
          {protocol !== 'icmp' && (
            <NumberField
              label={t('reach.port')}
              value={port}
              onChange={setPort}
              minValue={1}
              maxValue={65_535}
              formatOptions={{ useGrouping: false }}
            />
          )}
        </div>
        {question === null ? (
          <p className={css.dim}>{t('reach.choose')}</p>
        ) : problem ? (
          <Banner tone="bad">{problemText(problem, shell)}</Banner>
        ) : answer === undefined || isLoading ? (
          <p className={css.dim} role="status">
            {t('reach.asking')}
          </p>
        ) : (
          <>
            <Verdict state={stateOfVerdict[answer.verdict]} title={t(verdictKeys[answer.verdict])}>
              {words}
            </Verdict>
            <ReachSteps answer={answer} />
            <Probe key={key} question={question} />
          </>
        )}
        {asked.length > 1 && (
          <section aria-label={t('reach.before')}>
            <h3 className={css.before}>{t('reach.before')}</h3>
            <ul className={css.asked}>
              {asked.slice(1).map((it) => (
                <li key={it.key}>
                  <span>{it.words}</span>
                  <strong data-verdict={it.verdict}>{t(verdictKeys[it.verdict])}</strong>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Panel>
  )
}

/** Verifies the result by sending real packets, on request and only if the engine supports this. */
function Probe({ question }: { question: ReachQuestion }) {
  const t = useT('networking')
  const shell = useT('shell')
  const format = useFormat()
  const may = useMay()
  const can = useNetworkingCan('reach_probe')
  const [outcome, setOutcome] = useState<string>()
  const probe = useCall(reach.probe)
  if (!can || !may(reach.probe.needs) || 'address' in question.source) return null
  const send = async () => {
    const { outcome: it, milliseconds } = await probe.run({ body: question })
    const texts = { answered: 'reach.answered', refused: 'reach.refusedByPacket', silent: 'reach.silent' } as const
    setOutcome(t(texts[it], { time: milliseconds === null ? '' : format.number(Math.round(milliseconds)) }))
  }
  return (
    <div className={css.probe}>
      <Button isBusy={probe.isPending} onPress={() => void send().catch(() => {})}>
        {t('reach.probe')}
      </Button>
      <span role="status" className={css.dim}>
        {probe.problem ? problemText(probe.problem, shell) : outcome}
      </span>
    </div>
  )
}
