import { loadBalancerPools } from '@mainstay/contract/load-balancing/pools'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { WizardPage } from '../../../patterns/wizard/WizardPage'
import { withFields } from '../../../patterns/form/with-fields'
import { Panel } from '../../../ui/Panel'
import css from '../load-balancing.module.css'
import { poolPaths } from '../resource'
import { balancerRefresh } from '../use-balancer-actions'
import { checkPool, poolDraft, poolField, poolForm, startOf, type PoolForm } from './pool-form'
import { PoolFields } from './PoolFields'
import { usePoolSteps } from './pool-steps'

const schema = poolForm.superRefine((form, context) => checkPool(form, context))
const start = startOf('HTTP-HTTP')

/** `load-balancers/{loadBalancerId}/pools/add-pool[/vms|/healthmonitor]`: adds a pool to a load balancer. */
export default function PoolAddPage() {
  const t = useT('loadBalancing')
  const id = useParam('id')
  const step = useOptionalParam('step')
  const create = useCall(loadBalancerPools.create, { refresh: balancerRefresh })
  const steps = usePoolSteps<PoolForm>((form) => form)
  return (
    <WizardPage
      title={t('pools.add')}
      verb={t('pools.add')}
      schema={schema}
      start={start}
      send={(form) => create.run({ body: { ...poolDraft(form), loadbalancer_id: id } }).catch(withFields(poolField))}
      closeTo={poolPaths.list(id)}
      path={poolPaths.add(id)}
      step={step}
      steps={steps}
    >
      <Panel title={t('pools.one')}>
        <div className={css.part}>
          <PoolFields />
        </div>
      </Panel>
    </WizardPage>
  )
}
