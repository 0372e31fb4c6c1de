import { projectRoles, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import * as z from 'zod'
import { textsNow, useT } from '../../i18n/use-t'
import { FormDialog } from '../../patterns/form/FormDialog'
import { Select } from '../../patterns/form/form-fields'
import { ProjectPicker } from '../../pickers/ProjectPicker'
import { IdsField } from './IdsField'
import { projectRoleItems } from './user-words'

const Assignment = z.object({
  projects: z.array(z.string()).min(1, { error: () => textsNow('identity')('users.choose') }),
  role: z.enum(projectRoles),
})

interface AssignFormProps {
  /** The user or group to which projects are assigned. */
  to: { name: string; domain_id: string; assigned_projects: readonly { project_id: string }[] }
  closeTo: string
  /** Hides the role selection. Service accounts have a fixed role. */
  isRoleFixed?: boolean
  assign: (assigned: { project_id: string; role: ProjectRole }[]) => Promise<void>
}

/** Assigns additional projects to a user or group, with the same role in each. */
export function AssignForm({ to, closeTo, isRoleFixed = false, assign }: AssignFormProps) {
  const { name, domain_id, assigned_projects } = to
  const t = useT('identity')
  return (
    <FormDialog
      title={t('users.assignTitle', { name })}
      verb={t('users.assign')}
      schema={Assignment}
      start={{ projects: [], role: 'project_member' }}
      send={({ projects, role }: z.output<typeof Assignment>) =>
        assign(projects.map((project_id) => ({ project_id, role })))
      }
      closeTo={closeTo}
    >
      {!isRoleFixed && <Select<ProjectRole> name="role" label={t('users.roleIn')} items={projectRoleItems(t)} />}
      <IdsField name="projects">
        {(choosing) => (
          <ProjectPicker
            {...choosing}
            domainId={domain_id}
            disabledBecause={(project) =>
              assigned_projects.some((it) => it.project_id === project.id) ? t('users.wasAssigned') : undefined
            }
          />
        )}
      </IdsField>
    </FormDialog>
  )
}
