import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { problemText } from '../../../../api/problem-text'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { Panel } from '../../../../ui/Panel'
import { storedBytes } from './chain'
import css from './ChainPanel.module.css'
import { ChainPoint } from './ChainPoint'
import { useChain } from './use-chain'

/** The recovery points that a restore reads, and those that need this one and so prevent its deletion. */
export function ChainPanel({ point }: { point: VolumeBackup }) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const chain = useChain(point)
  const isLate = useDelayed(chain.isLoading)
  return (
    <Panel title={t('backups.chain')}>
      {chain.problem ? (
        <ErrorPanel
          title={patterns('table.loadFailed')}
          why={problemText(chain.problem, shell)}
          id={chain.problem.requestId}
          onRetry={chain.reload}
        />
      ) : chain.isLoading ? (
        isLate && <SkeletonRows rows={3} columns={3} />
      ) : (
        <div className={css.parts}>
          <Needed chain={chain} point={point} />
          <Dependents points={chain.dependents} />
        </div>
      )}
    </Panel>
  )
}

function Needed({ chain, point }: { chain: ReturnType<typeof useChain>; point: VolumeBackup }) {
  const t = useT('storage')
  const format = useFormat()
  const { needed, isComplete } = chain
  const bytes = storedBytes(needed)
  const values = { count: needed.length }
  return (
    <section className={css.part}>
      <h3>{t('backups.chain.read')}</h3>
      <ol className={css.points} aria-label={t('backups.chain.read')}>
        {needed.map((one) => (
          <ChainPoint key={one.id} point={one} isThis={one.id === point.id} />
        ))}
      </ol>
      <p className={css.note}>
        {bytes === null
          ? t('backups.chain.reads', values)
          : t('backups.chain.readsSize', { ...values, size: format.bytes(bytes) })}
      </p>
      {!isComplete && <p className={css.note}>{t('backups.chain.missing')}</p>}
    </section>
  )
}

function Dependents({ points }: { points: readonly VolumeBackup[] }) {
  const t = useT('storage')
  if (points.length === 0) return <p className={css.note}>{t('backups.chain.needsNone')}</p>
  return (
    <section className={css.part}>
      <h3>{t('backups.chain.needs')}</h3>
      <ol className={css.points} aria-label={t('backups.chain.needs')}>
        {points.map((one) => (
          <ChainPoint key={one.id} point={one} isDependent />
        ))}
      </ol>
      <p className={css.note}>{t('backups.chain.needsNote')}</p>
    </section>
  )
}
