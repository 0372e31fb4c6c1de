import { useState } from 'react'
import { instances, type InstanceStat } from '@mainstay/contract/compute/instances'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Sparkline } from '../../../../ui/values/Sparkline'
import { figuresOf, type Figures } from './stat-rates'
import css from './InstanceFigures.module.css'

const everyMs = 2000
/** Two minutes. */
const kept = 60

interface History {
  last: InstanceStat | undefined
  figures: readonly Figures[]
}

/** What an instance does now, read every two seconds while it is looked at. */
export function InstanceFigures({ id }: { id: string }) {
  const t = useT('instance')
  const list = useT('instances')
  const format = useFormat()
  const { data } = useView(instances.stat, { id }, { everyMs })
  const [{ last, figures }, setHistory] = useState<History>({ last: undefined, figures: [] })

  // a new reading is put to those before it while it is drawn: no effect, and no picture without it
  if (data && data.at !== last?.at)
    setHistory({ last: data, figures: [...figures, figuresOf(data, last)].slice(-kept) })

  const share = (value: number | null | undefined) => (value == null ? '–' : format.percent(value / 100, 0))
  const speed = (value: number | null | undefined) =>
    value == null ? '–' : t('instances.perSecond', { size: format.bytes(value) })
  const now = figures.at(-1)
  const series = (of: keyof Figures) => padded(figures.map((it) => it[of]))

  return (
    <section className={css.figures} aria-label={t('instances.figures')}>
      <Figure label={list('instances.cpu')} value={share(now?.cpu)} values={series('cpu')} high={100} />
      <Figure label={list('instances.memory')} value={share(now?.memory)} values={series('memory')} high={100} />
      <Figure
        label={t('instances.disk')}
        value={speed(sumOf(now?.read, now?.write))}
        detail={t('instances.readWrite', { read: speed(now?.read), write: speed(now?.write) })}
        values={padded(figures.map(({ read, write }) => sumOf(read, write)))}
      />
      <Figure
        label={t('instances.traffic')}
        value={speed(sumOf(now?.received, now?.sent))}
        detail={t('instances.inOut', { received: speed(now?.received), sent: speed(now?.sent) })}
        values={padded(figures.map(({ received, sent }) => sumOf(received, sent)))}
      />
    </section>
  )
}

const sumOf = (a: number | null | undefined, b: number | null | undefined) => (a == null || b == null ? null : a + b)

/** The newest at the end, in a window that does not stretch while it fills. */
const padded = (values: readonly (number | null)[]): (number | null)[] => [
  ...Array.from<null>({ length: Math.max(0, kept - values.length) }).fill(null),
  ...values,
]

interface FigureProps {
  label: string
  value: string
  detail?: string
  values: readonly (number | null)[]
  high?: number
}

const Figure = ({ label, value, detail, values, high }: FigureProps) => (
  <div className={css.figure}>
    <span className={css.label}>{label}</span>
    <bdi dir="ltr" className={css.value}>
      {value}
    </bdi>
    <Sparkline label={`${label}, ${value}`} values={values} high={high} width={132} height={28} className={css.line} />
    <span className={css.detail}>
      <bdi>{detail ?? ' '}</bdi>
    </span>
  </div>
)
