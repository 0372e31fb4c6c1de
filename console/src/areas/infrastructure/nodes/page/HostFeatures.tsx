import { hostFeatures, type HostFeature } from '@mainstay/contract/infrastructure/host-features'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { problemText } from '../../../../api/problem-text'
import { useView } from '../../../../api/use-view'
import { saidText } from '../../../../i18n/said'
import { useT, type Translate } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { Panel } from '../../../../ui/Panel'
import { toneIcons, type Tone } from '../../../../ui/tone'
import tones from '../../../../ui/tone.module.css'
import { CodeBlock } from '../../../../ui/values/CodeBlock'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import css from './HostFeatures.module.css'

/** The server checks most features again at this interval. */
const everyMs = 60_000

const stateTones: Readonly<Record<HostFeature['state'], Tone>> = { available: 'ok', limited: 'warn', missing: 'idle' }

/** Lists what the host of a node can and cannot do, with the reasons and the commands that change it. */
export function HostFeatures({ node: { id } }: { node: Node }) {
  const t = useT('nodes')
  const shell = useT('shell')
  const { data, problem, reload } = useView(hostFeatures.list, { id }, { madeOf: [nodeKind.name], everyMs })
  const lacking = data?.features.filter(({ gaps }) => gaps.length > 0) ?? []
  const available = data?.features.filter(({ gaps }) => gaps.length === 0) ?? []
  return (
    <Panel title={t('features')}>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!data && !problem && <SkeletonRows rows={4} columns={2} />}
      {data?.reason && <p>{saidText(data.reason, data.reason.message)}</p>}
      {lacking.length > 0 && (
        <>
          <ul className={css.lacking}>
            {lacking.map((feature) => (
              <Feature key={feature.name} feature={feature} />
            ))}
          </ul>
          <p className={css.dim}>{t('features.seen')}</p>
        </>
      )}
      {available.length > 0 && (
        <ul className={css.available}>
          {available.map((feature) => (
            <Feature key={feature.name} feature={feature} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Feature({ feature }: { feature: HostFeature }) {
  const t = useT('nodes')
  const { name, state, detail, gaps } = feature
  const title = t(`feature.${name}`)
  const StateIcon = toneIcons[stateTones[state]]
  const info = name === 'privileges' ? rightsText(feature, t) : detail
  return (
    <li className={css.feature}>
      <span className={classes(css.icon, tones[stateTones[state]])}>
        <StateIcon />
      </span>
      <div className={css.text}>
        <VisuallyHidden>{t(`features.${state}`)} </VisuallyHidden>
        {title}
        {info !== null && (
          <small>
            <bdi>{info}</bdi>
          </small>
        )}
        {gaps.map(({ reason, command }) => (
          <div key={`${reason.key} ${reason.message}`} className={css.gap}>
            <p>{saidText(reason, reason.message)}</p>
            {command !== null && <CodeBlock label={t('features.command', { name: title })}>{command}</CodeBlock>}
          </div>
        ))}
      </div>
    </li>
  )
}

/** How the platform becomes root; the reason for missing privileges is shown below. */
function rightsText({ detail, gaps }: HostFeature, t: Translate<'nodes'>): string | null {
  return gaps.length === 0 && (detail === 'root' || detail === 'sudo') ? t(`rights.${detail}`) : null
}
