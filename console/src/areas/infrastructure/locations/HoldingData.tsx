import { occupiedFailureDomains } from '@mainstay/contract/infrastructure/locations'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Panel } from '../../../ui/Panel'
import { tierName } from '../overview/tier-words'

/** Location levels in the table, from largest to smallest. */
const levels = [
  ['room', 'rooms'],
  ['row', 'rows'],
  ['rack', 'racks'],
  ['node', 'hosts'],
  ['disk', 'disks'],
] as const

/** Shows how many rooms, rows, racks, nodes and disks hold data of each storage tier. */
export function HoldingData() {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const format = useFormat()
  const { data, problem, reload } = useView(occupiedFailureDomains.view, {}, { madeOf: ['node', 'location'] })
  return (
    <Panel isFlush title={t('locations.holding')}>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {data && (
        <SmallTable
          label={t('locations.holding')}
          rows={data.tiers.length > 0 ? levels : []}
          keyOf={([level]) => level}
          empty={t('locations.holding.none')}
          columns={[
            { id: 'level', label: t('locations.holding.level'), render: ([level]) => t(`locations.levels.${level}`) },
            ...data.tiers.map((tier) => ({
              ...{ id: `${tier.store} ${tier.tier}`, label: tierName(tier, t), isAtEnd: true },
              render: ([, counted]: (typeof levels)[number]) => format.number(tier[counted]),
            })),
          ]}
        />
      )}
    </Panel>
  )
}
