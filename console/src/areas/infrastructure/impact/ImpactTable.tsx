import { useState } from 'react'
import { impactParts, type ImpactRow } from '@mainstay/contract/infrastructure/impact'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { nodePaths } from '../nodes/paths'
import { Effect, Help } from './IfItFails'
import css from './impact.module.css'
import { thingOf, worstFirst } from './impact-words'

/** Number of rows shown initially. */
const FIRST = 6

interface ImpactTableProps {
  rows: readonly ImpactRow[]
  countedAt: string
}

/** Table of possible failures and their effects, worst first. */
export function ImpactTable({ rows, countedAt }: ImpactTableProps) {
  const t = useT('infrastructure')
  const format = useFormat()
  const [isWhole, setWhole] = useState(false)
  const sorted = worstFirst(rows)
  const shown = isWhole ? sorted : sorted.slice(0, FIRST)
  return (
    <Panel isFlush title={t('impact.table')} count={t('impact.counted', { time: format.time(countedAt) })}>
      <table className={css.table} aria-label={t('impact.table')}>
        <thead>
          <tr>
            <th scope="col">{t('impact.thing')}</th>
            {impactParts.map((part) => (
              <th key={part} scope="col">
                {t(`impact.${part}`)}
              </th>
            ))}
            <th scope="col">{t('impact.help')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => {
            const { name, note } = thingOf(row, t)
            return (
              <tr key={`${row.kind} ${row.id}`}>
                <th scope="row">
                  {row.kind === 'node' ? <Link to={nodePaths.view(row.id)}>{name}</Link> : <bdi>{name}</bdi>}
                  <span className={css.note}>{note}</span>
                </th>
                {impactParts.map((part) => (
                  <td key={part}>
                    <span className={css.label}>{t(`impact.${part}`)}</span>
                    <Effect of={row[part]} />
                  </td>
                ))}
                <td>
                  {row.help.length > 0 && (
                    <>
                      <span className={css.label}>{t('impact.help')}</span>
                      <Help help={row.help} />
                    </>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {shown.length < sorted.length && (
        <div className={css.more}>
          <Button variant="plain" size="small" onPress={() => setWhole(true)}>
            {t('impact.more', { count: sorted.length - shown.length })}
          </Button>
        </div>
      )}
    </Panel>
  )
}
