import { useMemo } from 'react'
import { IpAddress } from '@mainstay/contract/networking/address-fields'
import { Description } from '@mainstay/contract/core/names'
import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { toast } from '../../../notices/notices'
import { InProject } from '../../../patterns/InProject'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { Checkbox, RadioCards, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { FloatingIpIcon } from '../../../ui/icons'
import { Dialog } from '../../../ui/overlays/Dialog'
import { useMay } from '../../../session/may'
import { networks } from '@mainstay/contract/networking/networks'
import { useRoutedNetworks } from '../../../pickers/use-routed-networks'
import { networkResource } from '../networks/resource'
import { ServiceBanner } from '../ServiceBanner'
import { floatingIpResource } from './resource'

const { paths } = floatingIpResource

/** `floating-ips/add`: allocates an address from an external network. The next step offers to assign it. */
export default function FloatingIpAddForm() {
  return (
    <InProject closeTo={paths.list()}>
      <Prepared />
    </InProject>
  )
}

function Prepared() {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  const { rows, isLoading } = useRoutedNetworks()
  if (isLoading) return null
  if (rows.length === 0)
    return (
      <Dialog isOpen title={t('floatingIps.noNetwork')} onClose={() => go(paths.list(), { keepsSearch: true })}>
        {may(networks.createPublic.needs) ? (
          <>
            <p>{t('floatingIps.noNetworkOperator')}</p>
            <Link to={networkResource.paths.add()}>{t('networks.add')}</Link>
          </>
        ) : (
          <p>{t('floatingIps.noNetworkWhy')}</p>
        )}
      </Dialog>
    )
  return <Form networks={rows} />
}

type Offered = ReturnType<typeof useRoutedNetworks>['rows']

function Form({ networks: offered }: { networks: Offered }) {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  // users who may create external networks may also choose specific addresses from them
  const mayChoose = may(networks.createPublic.needs)
  const create = useCall(floatingIps.create, {
    refresh: [floatingIps.list],
    done: ({ floating_ip_address: address }) => toast(t('floatingIps.added', { address })),
  })
  const schema = useMemo(
    () =>
      z.object({
        floating_network_id: z.string().min(1, t('floatingIps.networkMissing')),
        floating_ip_address: z.union([z.literal(''), IpAddress]),
        description: Description,
        assigns: z.boolean(),
      }),
    [t],
  )
  return (
    <FormDialog
      title={t('floatingIps.add')}
      verb={t('floatingIps.add')}
      schema={schema}
      start={{ floating_network_id: offered[0]!.id, floating_ip_address: '', description: '', assigns: true }}
      send={async ({ assigns, floating_ip_address: address, ...body }) => {
        const made = await create.run({ body: { ...body, ...(address !== '' && { floating_ip_address: address }) } })
        return { ...made, assigns }
      }}
      done={({ id, assigns }) =>
        go(assigns ? paths.below(id, 'assign') : paths.list(), { keepsSearch: true, replace: true })
      }
      closeTo={paths.list()}
    >
      <ServiceBanner />
      <RadioCards
        name="floating_network_id"
        label={t('routers.external')}
        items={offered.map(({ id, name, subnets }) => ({
          ...{ id, label: name, icon: FloatingIpIcon },
          description: subnets.map(({ cidr }) => cidr).join(', '),
        }))}
      />
      {mayChoose && (
        <TextField
          name="floating_ip_address"
          label={t('floatingIps.address')}
          placeholder={t('floatingIps.anyAddress')}
          isMono
          isOptional
        />
      )}
      <TextArea name="description" label={t('description')} isOptional rows={2} />
      <Checkbox name="assigns" help={t('floatingIps.assignsHelp')}>
        {t('floatingIps.assigns')}
      </Checkbox>
      <ProjectQuota rows={[{ quota: 'floatingip', label: t('quota.floatingIps'), added: 1 }]} />
    </FormDialog>
  )
}
