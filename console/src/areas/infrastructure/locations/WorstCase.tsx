import type { ImpactRow } from '@mainstay/contract/infrastructure/impact'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Verdict } from '../../../patterns/CheckTrace'
import { Panel } from '../../../ui/Panel'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { Effects } from '../impact/IfItFails'
import { summaryOf } from '../impact/impact-words'
import css from './locations.module.css'
import type { LocationRow } from './location-tree'

const levels = ['node', 'rack', 'row', 'room'] as const satisfies readonly LocationRow['kind'][]

interface WorstCaseProps {
  level: LocationRow['kind']
  onLevel: (level: LocationRow['kind']) => void
  /** Effects of the failure of the node or location at this level whose failure has the worst effects. */
  worst: ImpactRow | undefined
}

/** Shows what keeps working if the most critical node, rack, row or room fails. */
export function WorstCase({ level, onLevel, worst }: WorstCaseProps) {
  const t = useT('infrastructure')
  const format = useFormat()
  const summary = worst && summaryOf(worst, t, format.list)
  return (
    <Panel title={t('locations.worst')}>
      <div className={css.worst}>
        <SegmentedControl
          label={t('locations.worst.level')}
          items={levels.map((id) => ({ id, label: t(`locations.levels.${id}`) }))}
          value={level}
          onChange={onLevel}
        />
        {worst && summary ? (
          <>
            <Verdict
              state={summary.tone === 'ok' ? 'passes' : summary.tone === 'idle' ? 'unknown' : 'refused'}
              title={t('locations.worst.of', { name: worst.name })}
            >
              {summary.text}
            </Verdict>
            <Effects row={worst} />
          </>
        ) : (
          t('locations.worst.none')
        )}
      </div>
    </Panel>
  )
}
