import { loadBalancerPools, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { useMemo } from 'react'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Facts } from '../../../patterns/Facts'
import { withFields } from '../../../patterns/form/with-fields'
import { poolPaths } from '../resource'
import { balancerRefresh } from '../use-balancer-actions'
import { forwardingText } from '../words'
import { OfPool } from './OfPool'
import { formOf, poolField, poolForm, settingsOf } from './pool-form'
import { PoolFields } from './PoolFields'

/** `load-balancers/{loadBalancerId}/edit-pool/{loadBalancerPoolId}`: edits a pool's settings. */
export default function PoolEditForm() {
  const poolId = useParam('poolId')
  return <OfPool poolId={poolId}>{(pool) => <PoolSettingsForm pool={pool} />}</OfPool>
}

/** Edits a pool's settings, except its protocols and ports, which are fixed. */
export function PoolSettingsForm({ pool }: { pool: LoadBalancerPool }) {
  const t = useT('loadBalancing')
  const patterns = useT('patterns')
  const start = useMemo(() => formOf(pool), [pool])
  const update = useCall(loadBalancerPools.update, {
    refresh: balancerRefresh,
    done: ({ name }) => toast(t('pools.saved', { name })),
  })
  return (
    <FormDialog
      title={t('pools.editNamed', { name: pool.name })}
      verb={patterns('save')}
      schema={poolForm}
      start={start}
      send={(form) =>
        update.run({ params: { id: pool.id }, body: settingsOf(form, start) }).catch(withFields(poolField))
      }
      closeTo={poolPaths.list(pool.loadbalancer_id)}
    >
      <Facts rows={[[t('pools.rule'), forwardingText(pool, t)]]} />
      <PoolFields isThere />
    </FormDialog>
  )
}
