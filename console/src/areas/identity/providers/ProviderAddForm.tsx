import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import type * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { DomainChoice } from '../../../pickers/DomainChoice'
import { InDomain, useDomainOfForm } from '../in-domain'
import { emptyProvider, ProviderForm, providerOf } from './provider-form'
import { ProviderFields } from './ProviderFields'
import { providerResource } from './resource'

const Form = ProviderForm.extend(InDomain.shape)

/** `/identity-providers/add`: adds an identity provider. */
export default function ProviderAddForm() {
  const t = useT('identity')
  const create = useCall(identityProviders.create, {
    refresh: [identityProviders.list],
    done: ({ name }) => toast(t('providers.added', { name })),
  })
  const { isAsked, start } = useDomainOfForm()
  return (
    <FormDialog
      title={t('providers.add')}
      verb={t('providers.add')}
      schema={Form}
      start={{ ...emptyProvider, ...start }}
      send={({ domain_id, ...form }: z.output<typeof Form>) =>
        create.run({ params: { domain_id: domain_id! }, body: { protocol: form.protocol, ...providerOf(form) } })
      }
      closeTo={providerResource.paths.list()}
    >
      {isAsked && <DomainChoice name="domain_id" />}
      <Fields />
    </FormDialog>
  )
}

/** The form fields for a provider. The selected domain determines the groups and the callback URL. */
function Fields() {
  const domainId = useWatched<string | null>('domain_id')
  return domainId && <ProviderFields key={domainId} domainId={domainId} providerId={null} />
}
