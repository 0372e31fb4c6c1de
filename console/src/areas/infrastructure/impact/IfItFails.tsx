import {
  impactParts,
  type Impact,
  type ImpactKind,
  type ImpactRow,
  type Sentence,
} from '@mainstay/contract/infrastructure/impact'
import { problemText } from '../../../api/problem-text'
import { saidText } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { isPageKnown } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Panel } from '../../../ui/Panel'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import css from './impact.module.css'
import { helpPaths, resultTones } from './impact-words'
import { useImpact } from './use-impact'

/** Shows one effect of a failure as a status. */
export const Effect = ({ of }: { of: Impact }) => (
  <StatusBadge tone={resultTones[of.result]} isSentence>
    {saidText(of.said, of.message)}
  </StatusBadge>
)

/** Advice against the effects of a failure, with links to the pages where operators can follow the advice. */
export const Help = ({ help }: { help: readonly Sentence[] }) => (
  <ul className={css.help}>
    {help.map(({ said, message }) => {
      const to = helpPaths[said.key]
      const text = saidText(said, message)
      return <li key={said.key}>{to !== undefined && isPageKnown(to) ? <Link to={to}>{text}</Link> : text}</li>
    })}
  </ul>
)

/** Lists the effects of one failure, one per line. */
export function Effects({ row }: { row: ImpactRow }) {
  const t = useT('infrastructure')
  return (
    <dl className={css.parts}>
      {impactParts.map((part) => (
        <div key={part}>
          <dt>{t(`impact.${part}`)}</dt>
          <dd>
            <Effect of={row[part]} />
          </dd>
        </div>
      ))}
      {row.help.length > 0 && (
        <div>
          <dt>{t('impact.help')}</dt>
          <dd>
            <Help help={row.help} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** A panel that shows what stops working if a node, a location, a storage tier or the database fails now. */
export function IfItFails({ kind, id }: { kind: ImpactKind; id: string }) {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const { data, problem, reload } = useImpact({ kind, id })
  const [row] = data?.rows ?? []
  return (
    <Panel title={t('impact.title')}>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!data && !problem && <Skeleton width="240px" />}
      {row && <Effects row={row} />}
      {data && !row && t('impact.noAnswer')}
    </Panel>
  )
}
