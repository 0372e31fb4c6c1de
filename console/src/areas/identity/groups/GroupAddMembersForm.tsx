import { groupKind, groups, type Group } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { users } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { UserPicker } from '../../../pickers/UserPicker'
import { IdsField } from '../IdsField'
import { groupResource } from './resource'

const Chosen = z.object({
  uuids: z.array(z.string()).min(1, { error: () => textsNow('identity')('projects.choose') }),
})

/** `/groups/{id}/add-members`: adds users from the group's domain to the group. */
export default function GroupAddMembersForm() {
  const id = useParam('id')
  const { data } = useView(groups.view, { id }, { kind: groupKind })
  return data ? <AddMembersForm group={data} /> : null
}

function AddMembersForm({ group: { id, name, domain_id } }: { group: Group }) {
  const t = useT('identity')
  const add = useCall(groups.addMembers, {
    refresh: [users.list, users.view, groups.list, groups.view, projects.list, projects.view],
  })
  async function send({ uuids }: z.output<typeof Chosen>) {
    await add.run({ params: { id }, body: { uuids } })
    toast(t('groups.membersAdded', { name, count: uuids.length }))
  }
  return (
    <FormDialog
      title={t('groups.addMembersTitle', { name })}
      verb={t('groups.addMembers')}
      schema={Chosen}
      start={{ uuids: [] }}
      send={send}
      closeTo={groupResource.paths.below(id, 'members')}
    >
      <IdsField name="uuids">
        {(choosing) => (
          <UserPicker
            {...choosing}
            domainId={domain_id}
            disabledBecause={({ groups: own, role }) => {
              if (own.some((it) => it.id === id)) return t('groups.already')
              return role === SERVICE_ACCOUNT ? t('groups.isService') : undefined
            }}
          />
        )}
      </IdsField>
    </FormDialog>
  )
}
