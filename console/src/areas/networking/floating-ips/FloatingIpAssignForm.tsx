import { useMemo, useState } from 'react'
import {
  floatingIpKind,
  floatingIps,
  type FloatingIp,
  type FloatingIpTarget,
} from '@mainstay/contract/networking/floating-ips'
import { ports } from '@mainstay/contract/networking/ports'
import * as z from 'zod'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useDebounced } from '../../../lib/use-debounced'
import { Link } from '../../../nav/Link'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { useBound } from '../../../patterns/form/use-bound'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SearchField } from '../../../ui/fields/SearchField'
import { FloatingIpIcon, InstanceIcon, RouterIcon } from '../../../ui/icons'
import { Mono } from '../../../ui/values/Mono'
import { networkResource } from '../networks/resource'
import { PathLine } from '../../../patterns/PathLine'
import { ReasonedPicker } from '../parts/ReasonedPicker'
import { routerResource } from '../routers/resource'
import { reasonKeys } from './floating-ip-words'
import { floatingIpResource } from './resource'
import { RouterName } from './RouterName'
import { BlockedTrafficWarning } from './BlockedTrafficWarning'

const { paths } = floatingIpResource
const keyOf = ({ port_id, fixed_ip_address }: Pick<FloatingIpTarget, 'port_id' | 'fixed_ip_address'>) =>
  `${port_id} ${fixed_ip_address}`

/**
 * `floating-ips/{floatingIpId}/assign`: assigns a floating IP. For unreachable targets, it shows the reason and how to
 * fix it.
 */
export default function FloatingIpAssignForm() {
  const { data } = useView(floatingIps.view, { id: useParam('id') }, { kind: floatingIpKind })
  return data ? <Form floatingIp={data} /> : null
}

function Form({ floatingIp }: { floatingIp: FloatingIp }) {
  const t = useT('networking')
  const { id, floating_ip_address: address, port_id, fixed_ip_address: fixed } = floatingIp
  const schema = useMemo(() => z.object({ port_id: z.string().min(1, t('floatingIps.targetMissing')) }), [t])
  const update = useCall(floatingIps.update, {
    refresh: [floatingIps.list, floatingIps.view, ports.list],
    done: ({ attached_to: name }) => toast(t('floatingIps.assignedTo', { address, name: name ?? '' })),
  })
  return (
    <FormDialog
      place="middle"
      size="normal"
      title={t('floatingIps.assignTitle', { address })}
      verb={t('floatingIps.assign')}
      schema={schema}
      start={{ port_id: port_id === null ? '' : keyOf({ port_id, fixed_ip_address: fixed ?? '' }) }}
      send={({ port_id: target }) => {
        const [port = '', chosen = ''] = target.split(' ')
        return update.run({
          params: { id },
          body: { port_id: port, ...(chosen !== '' && { fixed_ip_address: chosen }) },
        })
      }}
      closeTo={paths.list()}
    >
      <Targets floatingIp={floatingIp} />
    </FormDialog>
  )
}

function Targets({ floatingIp }: { floatingIp: FloatingIp }) {
  const t = useT('networking')
  const shell = useT('shell')
  const { value, onChange, error } = useBound<string>('port_id')
  const [typed, setTyped] = useState('')
  const search = useDebounced(typed.trim())
  const view = useView(
    floatingIps.targets,
    { id: floatingIp.id },
    // the targets are refreshed on port changes, since they may change while the user is choosing
    { kind: { name: 'port' }, query: search === '' ? {} : { search } },
  )
  const targets = view.data?.data ?? []
  const chosen = targets.find((it) => keyOf(it) === value)
  if (view.problem)
    return (
      <ErrorPanel title={t('floatingIps.targetsFailed')} why={problemText(view.problem, shell)} onRetry={view.reload} />
    )
  return (
    <>
      <SearchField label={t('floatingIps.search')} value={typed} onChange={setTyped} autoFocus />
      {view.data && targets.length === 0 && (
        <p>{search === '' ? t('floatingIps.noTargets') : t('floatingIps.noneMatches')}</p>
      )}
      {targets.length > 0 && (
        <ReasonedPicker
          label={t('floatingIps.targets')}
          canTitle={t('floatingIps.can')}
          cannotTitle={t('floatingIps.cannot')}
          chosen={value}
          onChoose={onChange}
          items={targets.map((target) => ({
            id: keyOf(target),
            name: (
              <span>
                <bdi>{target.object_name}</bdi> <Mono>{target.fixed_ip_address}</Mono>
              </span>
            ),
            end: <bdi>{target.network_name}</bdi>,
            reason:
              target.reason === null
                ? undefined
                : t(reasonKeys[target.reason], {
                    network: target.network_name,
                    external: floatingIp.floating_network_name,
                  }),
            fix: <Fix target={target} />,
          }))}
        />
      )}
      {view.data?.truncated && <p>{t('floatingIps.truncated')}</p>}
      <FieldFault>{error}</FieldFault>
      {chosen && (
        <>
          <PathLine
            label={t('floatingIps.way')}
            hops={[
              {
                id: 'out',
                icon: FloatingIpIcon,
                name: floatingIp.floating_network_name,
                detail: t('floatingIps.anyone'),
              },
              { id: 'router', icon: RouterIcon, name: <RouterName id={chosen.router_id} /> },
              {
                ...{ id: 'target', icon: InstanceIcon, isOwn: true },
                ...{ name: <bdi>{chosen.object_name}</bdi>, detail: chosen.network_name },
              },
            ]}
            legs={[{ over: floatingIp.floating_ip_address }, { over: chosen.fixed_ip_address }]}
          />
          <BlockedTrafficWarning portId={chosen.port_id} name={chosen.object_name} />
        </>
      )}
    </>
  )
}

/** Link to a page where the user can make a target reachable. */
function Fix({ target }: { target: FloatingIpTarget }) {
  const t = useT('networking')
  if (target.reason === 'no_router') return <Link to={routerResource.paths.list()}>{t('floatingIps.fixRouter')}</Link>
  if (target.reason === 'router_without_gateway' && target.router_id !== null)
    return <Link to={routerResource.paths.below(target.router_id, 'edit-gateway')}>{t('floatingIps.fixGateway')}</Link>
  if (target.reason === 'no_ipv4_address')
    return <Link to={networkResource.paths.view(target.network_id)}>{t('floatingIps.fixNetwork')}</Link>
  return null
}
