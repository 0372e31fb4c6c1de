import { useMemo } from 'react'
import { useFieldArray } from 'react-hook-form'
import { routers } from '@mainstay/contract/networking/routers'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { InProject } from '../../../patterns/InProject'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { useRoutedNetworks } from '../../../pickers/use-routed-networks'
import { Button } from '../../../ui/Button'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, DeleteIcon } from '../../../ui/icons'
import { ServiceBanner } from '../ServiceBanner'
import { withFields } from '../../../patterns/form/with-fields'
import { GatewayFields } from './GatewayFields'
import { InterfaceFields, useConnectable } from './InterfaceFields'
import { newRouterForm, proposedNetwork, routerDraft, routerField, routerForm, type InterfaceForm } from './router-form'
import { routerResource } from './resource'
import css from './routers.module.css'

/** `routers/add`: creates a router with an external gateway and the networks to connect. */
export default function RouterAddForm() {
  return (
    <InProject closeTo={routerResource.paths.list()}>
      <Prepared />
    </InProject>
  )
}

function Prepared() {
  const { rows, isLoading } = useRoutedNetworks()
  return isLoading ? null : <Form outside={rows[0]} />
}

function Form({ outside }: { outside: Network | undefined }) {
  const t = useT('networking')
  const { known } = useConnectable()
  const schema = useMemo(() => routerForm(t, known), [t, known])
  const create = useCall(routers.create, { refresh: [routers.list, networks.list] })
  return (
    <FormDialog
      title={t('routers.add')}
      verb={t('routers.add')}
      schema={schema}
      start={newRouterForm(outside?.id ?? null)}
      send={(form) => create.run({ body: routerDraft(form) }).catch(withFields(routerField))}
      closeTo={routerResource.paths.list()}
      size="large"
    >
      <ServiceBanner />
      <TextField name="name" label={t('name')} autoFocus />
      <GatewayFields />
      <Interfaces />
      <ProjectQuota rows={[{ quota: 'routers', label: t('quota.routers'), added: 1 }]} />
    </FormDialog>
  )
}

function Interfaces() {
  const t = useT('networking')
  const { fields, append, remove } = useFieldArray({ name: 'interfaces' })
  const { networks: all, known, isLoading } = useConnectable()
  const rows = useWatched<readonly InterfaceForm[]>('interfaces')
  const next = proposedNetwork(all, rows, known, t)
  return (
    <section className={css.interfaces} aria-label={t('routers.networks')}>
      <h3 className={css.heading}>{t('routers.networks')}</h3>
      {fields.map((field, at) => (
        <div key={field.id} className={css.interface}>
          <InterfaceFields at={`interfaces.${at}.`} />
          <IconButton icon={DeleteIcon} label={t('routers.leaveOut', { number: at + 1 })} onPress={() => remove(at)} />
        </div>
      ))}
      <Button
        icon={AddIcon}
        // the ranges must be loaded first, or the preselected network might overlap another one
        isDisabled={isLoading}
        disabledBecause={isLoading || next ? undefined : t('routers.noOther')}
        onPress={() => append({ network_id: next?.id ?? null, ip_address: '' }, { shouldFocus: false })}
      >
        {t('routers.addNetwork')}
      </Button>
    </section>
  )
}
