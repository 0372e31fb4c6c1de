import { ServerGroupDraft, type ServerGroupPolicy } from '@mainstay/contract/compute/server-groups'
import { useT } from '../../../i18n/use-t'
import { RadioCards } from '../../../patterns/form/RadioCards'
import { TextField } from '../../../patterns/form/TextField'
import { form } from '../../../patterns/resource/form'
import { policyWords } from './policy-words'
import { serverGroupResource } from './resource'

const policies = Object.keys(policyWords) as ServerGroupPolicy[]

function Fields() {
  const t = useT('compute')
  return (
    <>
      <TextField name="name" label={t('serverGroups.name')} autoFocus />
      <RadioCards<ServerGroupPolicy>
        name="policy"
        label={t('serverGroups.policy')}
        items={policies.map((id) => ({
          id,
          label: t(policyWords[id].label),
          description: t(policyWords[id].description),
        }))}
      />
    </>
  )
}

export default form(serverGroupResource, {
  create: { schema: ServerGroupDraft, start: { name: '', policy: 'soft-anti-affinity' } },
  Fields,
})
