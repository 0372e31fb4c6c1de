import {
  identityProviderKind,
  identityProviders,
  type DomainProvider,
} from '@mainstay/contract/identity/identity-providers'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { ProviderForm, providerOf, startOf } from './provider-form'
import { ProviderFields } from './ProviderFields'
import { providerResource } from './resource'

/** `/identity-providers/{id}/edit`: edits an identity provider. */
export default function ProviderEditForm() {
  const id = useParam('id')
  const { data } = useView(identityProviders.view, { id }, { kind: identityProviderKind })
  return data ? <EditForm provider={data} /> : null
}

function EditForm({ provider }: { provider: DomainProvider }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const { id, name, domain_id, has_secret } = provider
  const save = useCall(identityProviders.update, {
    refresh: [identityProviders.list, identityProviders.view],
    done: (saved) => toast(t('providers.saved', { name: saved.name })),
  })
  return (
    <FormDialog
      title={t('providers.editTitle', { name })}
      verb={patterns('save')}
      schema={ProviderForm}
      start={startOf(provider)}
      send={(form) => save.run({ params: { id }, body: providerOf(form) })}
      closeTo={providerResource.paths.view(id)}
    >
      <ProviderFields domainId={domain_id} providerId={id} hasSecret={has_secret} />
    </FormDialog>
  )
}
