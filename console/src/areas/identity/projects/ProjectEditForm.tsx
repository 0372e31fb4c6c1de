import { ProjectChange, projectKind, projects } from '@mainstay/contract/identity/projects'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { ProjectFields } from './ProjectFields'
import { projectResource } from './resource'

/** `/projects/{id}/edit/{returnRoute?}`: edits a project. */
export default function ProjectEditForm() {
  const t = useT('identity')
  const patterns = useT('patterns')
  const id = useParam('id')
  const closeTo = useCloseTo(projectResource.paths.list(), projectResource.paths.view(id))
  const { data } = useView(projects.view, { id }, { kind: projectKind })
  const save = useCall(projects.update, {
    refresh: [projects.list, projects.view],
    done: ({ name }) => toast(t('projects.saved', { name })),
  })
  if (!data) return null
  const { name, description, enabled } = data
  return (
    <FormDialog
      title={t('projects.editTitle', { name })}
      verb={patterns('save')}
      schema={ProjectChange}
      start={{ name, description, enabled }}
      send={(body) => save.run({ params: { id }, body })}
      closeTo={closeTo}
    >
      <ProjectFields />
    </FormDialog>
  )
}
