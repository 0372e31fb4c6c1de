import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Meter } from '../../../../ui/feedback/Meter'
import { Panel } from '../../../../ui/Panel'
import css from '../nodes.module.css'

/** Used memory and swap of a node. */
export function MemoryUse({ ram }: { ram: NonNullable<Node['ram']> }) {
  const t = useT('nodes')
  const { bytes } = useFormat()
  const { total, available, swap_total, swap_free } = ram
  return (
    <Panel title={t('memory')}>
      <div className={css.stack}>
        <Meter label={t('memory.used')} used={total - available} limit={total} format={bytes} />
        {swap_total > 0 ? (
          <Meter label={t('memory.swap')} used={swap_total - swap_free} limit={swap_total} format={bytes} />
        ) : (
          <p className={css.dim}>{t('memory.noSwap')}</p>
        )}
      </div>
    </Panel>
  )
}
