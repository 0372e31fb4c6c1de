import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
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
import { Banner } from '../../../ui/feedback/Banner'
import { groupResource } from './resource'

/** `/groups/{id}/edit`: edits a group. */
export default function GroupEditForm() {
  const id = useParam('id')
  const { data } = useView(groups.view, { id }, { kind: groupKind })
  return data ? <EditForm group={data} /> : null
}

// names of directory groups follow different rules and are managed in the directory
const DirectoryGroupForm = GroupForm.omit({ name: true })

function EditForm({ group }: { group: Group }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const { id, name, domain_id } = group
  const isKeptElsewhere = isOfDirectory(group)
  const isOperator = useIsAllTenants()
  const save = useCall(groups.update, {
    refresh: [groups.list, groups.view, users.list, users.view],
    done: (saved) => toast(t('groups.saved', { name: saved.name })),
  })
  return (
    <FormDialog
      title={t('groups.editTitle', { name })}
      verb={patterns('save')}
      schema={isKeptElsewhere ? (DirectoryGroupForm as unknown as typeof GroupForm) : GroupForm}
      start={startOf(group)}
      send={(form) => {
        const { name: wanted, ...rest } = groupOf(form)
        return save.run({ params: { id }, body: isKeptElsewhere ? rest : { name: wanted, ...rest } })
      }}
      closeTo={groupResource.paths.view(id)}
    >
      {isKeptElsewhere && <Banner tone="busy">{t('groups.ofDirectory')}</Banner>}
      <GroupFields isNew={false} hasName={!isKeptElsewhere} operates={isOperator && domain_id === DEFAULT_DOMAIN_ID} />
    </FormDialog>
  )
}
