import { useMemo } from 'react'
import { ResourceName, Description } from '@mainstay/contract/core/names'
import { loadBalancerKind, loadBalancers, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import * as z from 'zod'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useOptionalParam, useParam } from '../../nav/use-param'
import { toast } from '../../notices/notices'
import { Checkbox, TextField } from '../../patterns/form/form-fields'
import { FormDialog } from '../../patterns/form/FormDialog'
import { FloatingIpChoice } from '../../pickers/FloatingIpChoice'
import { OfPool } from './pools/OfPool'
import { PoolSettingsForm } from './pools/PoolEditForm'
import { balancerResource } from './resource'
import { balancerRefresh } from './use-balancer-actions'

/**
 * `load-balancers/{loadBalancerId}/edit/{…}`: edits a load balancer. The last segment is either the page to return to
 * or a pool ID, in which case the form edits that pool instead (S1§2 uses the same path for both).
 */
export default function BalancerEditForm() {
  const id = useParam('id')
  const behind = useOptionalParam('returnRoute')
  const { data } = useView(loadBalancers.view, { id }, { kind: loadBalancerKind })
  if (!data) return null
  if (behind !== undefined && data.pools.some((pool) => pool.id === behind))
    return <OfPool poolId={behind}>{(pool) => <PoolSettingsForm pool={pool} />}</OfPool>
  return <Form balancer={data} closeTo={behind === 'list' ? balancerResource.paths.list() : undefined} />
}

const schema = z.object({
  name: ResourceName,
  description: Description,
  enabled: z.boolean(),
  floatingIp: z.string().nullable(),
  keepsFloatingIp: z.boolean(),
})

function Form({ balancer, closeTo }: { balancer: LoadBalancer; closeTo: string | undefined }) {
  const t = useT('loadBalancing')
  const patterns = useT('patterns')
  const { id, name, description, enabled, floating_ip: ip } = balancer
  const update = useCall(loadBalancers.update, {
    refresh: balancerRefresh,
    done: (it) => toast(t('balancers.saved', { name: it.name })),
  })
  const start = useMemo(
    () => ({ name, description, enabled, floatingIp: null, keepsFloatingIp: ip !== null }),
    [name, description, enabled, ip],
  )
  const chosen = (form: z.output<typeof schema>): { floating_ip?: string | null } => {
    if (ip !== null) return form.keepsFloatingIp ? {} : { floating_ip: null }
    return form.floatingIp?.startsWith('have:') ? { floating_ip: form.floatingIp.slice('have:'.length) } : {}
  }
  return (
    <FormDialog
      title={t('balancers.editNamed', { name })}
      verb={patterns('save')}
      schema={schema}
      start={start}
      send={(form) =>
        update.run({
          params: { id },
          body: { name: form.name, description: form.description, enabled: form.enabled, ...chosen(form) },
        })
      }
      closeTo={closeTo ?? balancerResource.paths.view(id)}
    >
      <TextField name="name" label={t('name')} autoFocus />
      <TextField name="description" label={t('description')} isOptional />
      <Checkbox name="enabled" help={t('balancers.enabledHelp')}>
        {t('enabledFact')}
      </Checkbox>
      {ip === null ? (
        <FloatingIpChoice name="floatingIp" isOfThoseThere />
      ) : (
        <Checkbox name="keepsFloatingIp">{t('balancers.keepsFloatingIp', { ip })}</Checkbox>
      )}
    </FormDialog>
  )
}
