import { useId } from 'react'
import type { EnginePart, EngineState, NodeSupport } from '@mainstay/contract/infrastructure/engines'
import type { Key } from '../../../i18n/catalogues'
import { useFormat } from '../../../i18n/use-format'
import { useT, type Translate } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import css from './EngineFacts.module.css'

/** Display names. A part that is not listed here keeps the name sent by the server. */
const partNames: Readonly<Record<string, Key<'infrastructure'>>> = {
  compute: 'engines.part.compute',
  database: 'engines.part.database',
  files: 'engines.part.files',
  identity: 'engines.part.identity',
  images: 'engines.part.images',
  networking: 'engines.part.networking',
  networks: 'engines.part.networks',
  notifications: 'engines.part.notifications',
  'object-storage': 'engines.part.object-storage',
  storage: 'engines.part.storage',
  tasks: 'engines.part.tasks',
  volumes: 'engines.part.volumes',
}

/** Display names. An engine is named after the first area that it serves. */
const engineNames: Readonly<Record<string, Key<'infrastructure'>>> = {
  compute: 'engines.name.compute',
  identity: 'engines.name.identity',
  networking: 'engines.name.networking',
  'object-storage': 'engines.name.object-storage',
  storage: 'engines.name.storage',
}

/** Shows the details of one engine: the delay of its lists, problems on this host, and the status of its parts. */
export function EngineFacts({ engine }: { engine: EngineState }) {
  const t = useT('infrastructure')
  const heading = useId()
  const name = engineNames[engine.name]
  return (
    <section className={css.engine} aria-labelledby={heading}>
      <h2 id={heading} className={css.name}>
        {name ? t(name) : engine.name}
      </h2>
      {engine.view === 'record' ? <RecordFacts engine={engine} /> : <FeedFacts engine={engine} />}
    </section>
  )
}

function RecordFacts({ engine }: { engine: EngineState }) {
  const t = useT('infrastructure')
  return (
    <Facts
      rows={[
        [t('engines.engine'), engine.engine],
        [t('engines.view'), t('engines.record')],
        [t('engines.lag'), t('engines.lag.none')],
        ...engine.problems.map((problem) => [t('engines.problem'), <Problem key={problem} text={problem} />] as const),
      ]}
    />
  )
}

function FeedFacts({ engine }: { engine: EngineState }) {
  const t = useT('infrastructure')
  return (
    <Facts
      rows={[
        [t('engines.engine'), engine.engine],
        [t('engines.lag'), <Lag key="lag" milliseconds={engine.lag_ms} />],
        [t('engines.by'), engine.by && t(`engines.by.${engine.by}`)],
        [t('engines.holder'), engine.holder ?? t('engines.nobody')],
        [t('engines.read'), engine.read_at && <Time key="read" at={engine.read_at} show="both" />],
        ...engine.unreadable.map(
          (rows) => [t('engines.unreadable'), <Unreadable key={rows.kind} of={rows} />] as const,
        ),
        ...partRows(engine.parts, t),
      ]}
    />
  )
}

const partRows = (parts: readonly EnginePart[], t: Translate<'infrastructure'>) =>
  parts.map((part) => {
    const name = partNames[part.name]
    return [name ? t(name) : part.name, <PartStatus key={part.name} part={part} />] as const
  })

/** Shows the status of the platform's own parts: database, disks, task workers and Node.js. */
export function PlatformFacts({ parts, node }: { parts: readonly EnginePart[]; node: NodeSupport }) {
  const t = useT('infrastructure')
  const heading = useId()
  return (
    <section className={css.engine} aria-labelledby={heading}>
      <h2 id={heading} className={css.name}>
        {t('engines.parts')}
      </h2>
      <Facts rows={[...partRows(parts, t), [t('engines.node'), <NodeStatus key="node" node={node} />]]} />
    </section>
  )
}

/**
 * Lists objects that could not be read. Each object's ID comes before its error, because operators look up the ID in
 * the cloud.
 */
function Unreadable({ of: { kind, count, rows } }: { of: EngineState['unreadable'][number] }) {
  const t = useT('infrastructure')
  const known = rows.flatMap(({ id, fault }) => (id === null ? [] : [`${id} (${fault})`]))
  const told = known.length === count ? known : [...known, '…']
  return <bdi>{t('engines.unreadable.rows', { kind, count, rows: told.join(', ') })}</bdi>
}

const Problem = ({ text }: { text: string }) => {
  const t = useT('infrastructure')
  return (
    <>
      <StatusBadge tone="warn">{t('engines.lacking')}</StatusBadge> <bdi className={css.note}>{text}</bdi>
    </>
  )
}

function NodeStatus({ node }: { node: NodeSupport }) {
  const t = useT('infrastructure')
  const { version, supported_until: until, is_supported: isSupported } = node
  if (isSupported) return <StatusBadge tone="ok">{version}</StatusBadge>
  return (
    <>
      <StatusBadge tone="warn">{version}</StatusBadge>{' '}
      <bdi className={css.note}>{t('engines.node.unsupported', { since: until ?? '–' })}</bdi>
    </>
  )
}

/** Polling normally delays lists by a few seconds. A delay longer than this is shown as a warning. */
const closeMs = 30_000

function Lag({ milliseconds }: { milliseconds: number | null }) {
  const t = useT('infrastructure')
  const format = useFormat()
  if (milliseconds === null) return <StatusBadge tone="busy">{t('engines.lag.unknown')}</StatusBadge>
  const tone = milliseconds > closeMs ? 'warn' : 'ok'
  const words = milliseconds < 1_000 ? t('engines.lag.none') : format.duration(milliseconds)
  return <StatusBadge tone={tone}>{words}</StatusBadge>
}

function PartStatus({ part }: { part: EnginePart }) {
  const t = useT('infrastructure')
  const format = useFormat()
  if (part.reachable) return <StatusBadge tone="ok">{t('engines.reachable')}</StatusBadge>
  return (
    <>
      <StatusBadge tone="bad">{t('engines.unreachable', { since: format.dateTime(part.since) })}</StatusBadge>{' '}
      <bdi className={css.note}>{part.message}</bdi>
    </>
  )
}
