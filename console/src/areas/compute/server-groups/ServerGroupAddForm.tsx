import { ServerGroupDraft, serverGroups, type ServerGroupPolicy } from '@mainstay/contract/compute/server-groups'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { RadioCards } from '../../../patterns/form/RadioCards'
import { TextField } from '../../../patterns/form/TextField'
import { policyWords } from './policy-words'

const policies = Object.keys(policyWords) as ServerGroupPolicy[]

export default function ServerGroupAddForm() {
  const t = useT('compute')
  const create = useCall(serverGroups.create, {
    refresh: [serverGroups.list],
    done: ({ name }) => toast(t('serverGroups.added', { name })),
  })
  return (
    <FormDialog
      title={t('serverGroups.add')}
      verb={t('serverGroups.add')}
      schema={ServerGroupDraft}
      start={{ name: '', policy: 'soft-anti-affinity' }}
      send={(body) => create.run({ body })}
      closeTo={paths.serverGroups.list()}
    >
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
    </FormDialog>
  )
}
