import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { domainNow } from '../../../session/session'
import { UserPicker } from '../../../pickers/UserPicker'
import { IdsField } from '../IdsField'
import { viaGroups } from '../user-words'
import { projectResource } from './resource'

const Chosen = z.object({
  uuids: z.array(z.string()).min(1, { error: () => textsNow('identity')('projects.choose') }),
})

/** `/projects/{id}/unassign/{returnRoute?}`: removes members from a project. */
export default function ProjectUnassignForm() {
  const id = useParam('id')
  const { data } = useView(projects.view, { id }, { kind: projectKind })
  return data ? <UnassignForm project={data} /> : null
}

function UnassignForm({ project: { id, name } }: { project: Project }) {
  const t = useT('identity')
  const closeTo = useCloseTo(projectResource.paths.list(), projectResource.paths.below(id, 'members'))
  const remove = useCall(projects.removeMembers, {
    refresh: [users.list, users.view, projects.list, projects.view],
  })
  async function send({ uuids }: z.output<typeof Chosen>) {
    await remove.run({ params: { id }, body: { uuids } })
    toast(t('projects.removed', { name, count: uuids.length }))
  }
  return (
    <FormDialog
      title={t('projects.removeManyTitle', { name })}
      verb={t('projects.removeMany')}
      schema={Chosen}
      start={{ uuids: [] }}
      send={send}
      closeTo={closeTo}
    >
      <IdsField name="uuids">
        {(choosing) => (
          <UserPicker
            {...choosing}
            membersOf={id}
            domainId={domainNow()}
            disabledBecause={(user) =>
              user.assigned_projects.some((it) => it.project_id === id) ? undefined : viaGroups(user, id, t)
            }
          />
        )}
      </IdsField>
    </FormDialog>
  )
}
