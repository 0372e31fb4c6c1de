import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import type { ProjectRole } from '@mainstay/contract/identity/user-roles'
import type * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Select } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { DomainChoice } from '../../../pickers/DomainChoice'
import { ProjectPicker } from '../../../pickers/ProjectPicker'
import { IdsField } from '../IdsField'
import { InDomain, useDomainOfForm } from '../in-domain'
import { projectRoleItems } from '../user-words'
import { GroupFields, groupOf, NewGroupForm } from './group-form'
import { groupResource } from './resource'

const Form = NewGroupForm.extend(InDomain.shape)

const empty = {
  ...{ name: '', description: '', role: 'project_member' as const, image_upload: false, quota_manager: false },
  ...{ system_permissions: [], projects: [], project_role: 'project_member' as const },
}

/** `/groups/add`: creates a group in a domain. Members can be added afterwards. */
export default function GroupAddForm() {
  const t = useT('identity')
  const create = useCall(groups.create, {
    refresh: [groups.list, projects.list],
    done: ({ name }) => toast(t('groups.added', { name })),
  })
  const { isAsked, start } = useDomainOfForm()
  const send = ({ domain_id, projects: ids, project_role, ...form }: z.output<typeof Form>) =>
    create.run({
      params: { domain_id: domain_id! },
      body: {
        ...groupOf(form),
        assigned_projects: ids.map((project_id) => ({ project_id, role: project_role })),
      },
    })
  return (
    <FormDialog
      title={t('groups.add')}
      verb={t('groups.add')}
      schema={Form}
      start={{ ...empty, ...start }}
      send={send}
      closeTo={groupResource.paths.list()}
    >
      {isAsked && <DomainChoice name="domain_id" />}
      <Fields isAsked={isAsked} />
    </FormDialog>
  )
}

/** System permissions are available only for groups in the default domain. */
function Fields({ isAsked }: { isAsked: boolean }) {
  const t = useT('identity')
  const domainId = useWatched<string | null>('domain_id')
  const chosen = useWatched<string[]>('projects')
  return (
    <>
      <GroupFields isNew operates={isAsked && domainId === DEFAULT_DOMAIN_ID} />
      {domainId !== null && (
        <IdsField name="projects" label={t('users.projects')}>
          {(choosing) => <ProjectPicker {...choosing} domainId={domainId} />}
        </IdsField>
      )}
      {chosen.length > 0 && (
        <Select<ProjectRole> name="project_role" label={t('users.roleIn')} items={projectRoleItems(t)} />
      )}
    </>
  )
}
