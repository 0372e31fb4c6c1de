import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/domains'
import { groupKind, groups, type Group } from '@mainstay/contract/identity/groups'
import { users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { GroupFields, GroupForm, groupOf, startOf } from './group-form'
import { useIsAllTenants } from '../../../session/session'
import { groupResource } from './resource'

/** `/groups/{id}/edit` */
export default function GroupEditForm() {
  const id = useParam('id')
  const { data } = useView(groups.view, { id }, { kind: groupKind })
  return data ? <EditForm group={data} /> : null
}

function EditForm({ group }: { group: Group }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const { id, name, domain_id } = group
  const isOperator = useIsAllTenants()
  const save = useCall(groups.update, {
    refresh: [groups.list, groups.view, users.list, users.view],
    done: (saved) => toast(t('groups.saved', { name: saved.name })),
  })
  return (
    <FormDialog
      title={t('groups.editTitle', { name })}
      verb={patterns('save')}
      schema={GroupForm}
      start={startOf(group)}
      send={(form) => save.run({ params: { id }, body: groupOf(form) })}
      closeTo={groupResource.paths.view(id)}
    >
      <GroupFields isNew={false} operates={isOperator && domain_id === DEFAULT_DOMAIN_ID} />
    </FormDialog>
  )
}
