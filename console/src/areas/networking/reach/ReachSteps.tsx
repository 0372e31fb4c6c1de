import type { ReachAnswer, ReachStep } from '@mainstay/contract/networking/reach'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { Mono } from '../../../ui/values/Mono'
import { CheckTrace } from '../../../patterns/CheckTrace'
import { useGroupNames } from '../ports/use-group-names'
import { floatingIpResource } from '../floating-ips/resource'
import { routerResource } from '../routers/resource'
import { securityGroupResource } from '../security-groups/resource'
import { RuleSentence } from '../security-groups/RuleSentence'
import { describeSteps } from './reach-words'

/** Name of the object that allows or blocks the traffic, as a link if the object has a page. */
function Decider({ object }: { object: NonNullable<ReachStep['object']> }) {
  const to = viewPath(object.kind, object.id)
  return to ? <Link to={to}>{object.name}</Link> : <bdi>{object.name}</bdi>
}

/** Link to a page where the user can unblock the traffic, if there is one. */
function Fix({ step: { code, state, object, missing_rule: missing } }: { step: ReachStep }) {
  const t = useT('networking')
  if (!object) return null
  if (code === 'not_published') return <Link to={floatingIpResource.paths.view(object.id)}>{t('published.add')}</Link>
  if (state !== 'refused') return null
  if (object.kind === 'router' && code === 'no_gateway')
    return <Link to={routerResource.paths.below(object.id, 'edit-gateway')}>{t('reach.fixGateway')}</Link>
  if (object.kind === 'router' && code === 'no_route')
    return <Link to={routerResource.paths.below(object.id, 'routes', 'add')}>{t('reach.fixRoute')}</Link>
  if (missing) return <Link to={securityGroupResource.paths.view(missing.security_group_id)}>{t('reach.fixRule')}</Link>
  if (code === 'no_outside_address') return <Link to={floatingIpResource.paths.list()}>{t('reach.fixFloatingIp')}</Link>
  const tunnel = code === 'tunnel_down' ? viewPath(object.kind, object.id) : undefined
  return tunnel ? <Link to={tunnel}>{t('reach.fixTunnel')}</Link> : null
}

/** The checks along the traffic path, in order. */
export function ReachSteps({ answer }: { answer: ReachAnswer }) {
  const t = useT('networking')
  const groupNames = useGroupNames()
  return (
    <CheckTrace
      label={t('reach.way')}
      checks={describeSteps(answer).map(({ step, key }, at) => ({
        id: String(at),
        state: step.state,
        title: t(key, { name: step.object?.name ?? '' }),
        detail: key !== 'reach.noOutsideAddress' && (step.object || step.address !== null || step.rule) && (
          <>
            {step.object && <Decider object={step.object} />}
            {step.address !== null && (
              <>
                {' '}
                <Mono>{step.address}</Mono>
              </>
            )}
            {step.rule && (
              <>
                {step.object && ': '}
                <RuleSentence rule={step.rule} groupNames={groupNames} />
              </>
            )}
          </>
        ),
        fix: <Fix step={step} />,
      }))}
    />
  )
}
