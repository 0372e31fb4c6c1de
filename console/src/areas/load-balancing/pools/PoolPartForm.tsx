import { useMemo } from 'react'
import { loadBalancerPools, type LoadBalancerPool, type PoolChange } from '@mainstay/contract/load-balancing/pools'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { withFields } from '../../../patterns/form/with-fields'
import { poolParts, poolPaths, type PoolPart } from '../resource'
import { balancerRefresh } from '../use-balancer-actions'
import { MemberFields } from './MemberFields'
import { MonitorFields } from './MonitorFields'
import { OfPool } from './OfPool'
import { checkPool, formOf, linesIn, memberDrafts, monitorDraft, poolField, poolForm, type PoolForm } from './pool-form'
import { CidrsField } from './PoolFields'

/**
 * `load-balancers/{loadBalancerId}/edit/{loadBalancerPoolId}/{health|members|allowed-cidrs}`: edits one part of a pool.
 */
export default function PoolPartForm() {
  const poolId = useParam('poolId')
  const asked = useParam('part')
  const part = poolParts.find((it) => it === asked) ?? 'members'
  return <OfPool poolId={poolId}>{(pool) => <Form key={part} pool={pool} part={part} />}</OfPool>
}

const changes: Readonly<Record<PoolPart, (form: PoolForm) => PoolChange>> = {
  health: ({ monitor }) => ({ healthmonitor: monitorDraft(monitor) }),
  members: ({ members }) => ({ members: memberDrafts(members) }),
  'allowed-cidrs': ({ cidrs }) => ({ allowed_cidrs: linesIn(cidrs) }),
}
const ofPart: Readonly<Record<PoolPart, string>> = { health: 'monitor', members: 'members', 'allowed-cidrs': 'cidrs' }

function Form({ pool, part }: { pool: LoadBalancerPool; part: PoolPart }) {
  const t = useT('loadBalancing')
  const patterns = useT('patterns')
  const start = useMemo(() => formOf(pool), [pool])
  const schema = useMemo(
    () =>
      poolForm.superRefine((form, context) => {
        // only this part is sent; the API never returns the private key, so a missing key is not an error here
        checkPool({ ...startForCheck(form), [ofPart[part]]: form[ofPart[part] as keyof PoolForm] }, context)
      }),
    [part],
  )
  const update = useCall(loadBalancerPools.update, {
    refresh: balancerRefresh,
    done: ({ name }) => toast(t('pools.saved', { name })),
  })
  return (
    <FormDialog
      title={t(`pools.${part}`, { name: pool.name })}
      verb={patterns('save')}
      schema={schema}
      start={start}
      send={(form) => update.run({ params: { id: pool.id }, body: changes[part](form) }).catch(withFields(poolField))}
      closeTo={poolPaths.view(pool.loadbalancer_id, pool.id, part === 'health' ? 'overview' : part)}
    >
      {part === 'health' && <MonitorFields />}
      {part === 'members' && <MemberFields />}
      {part === 'allowed-cidrs' && <CidrsField />}
    </FormDialog>
  )
}

const startForCheck = (form: PoolForm): PoolForm => {
  const { forwarding } = form
  // TLS termination requires a certificate, which the saved pool already has
  return { ...form, forwarding: forwarding === 'HTTPS-HTTP' ? 'HTTP-HTTP' : forwarding, headers: [] }
}
