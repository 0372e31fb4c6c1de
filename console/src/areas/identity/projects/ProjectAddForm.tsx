import { domains } from '@mainstay/contract/identity/domains'
import { ProjectDraft, projects } from '@mainstay/contract/identity/projects'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { ProjectFields } from './ProjectFields'
import { projectResource } from './resource'

/** `/projects/add` */
export default function ProjectAddForm() {
  const t = useT('identity')
  const create = useCall(projects.create, {
    refresh: [projects.list, domains.list],
    done: ({ name }) => toast(t('projects.added', { name })),
  })
  return (
    <FormDialog
      title={t('projects.add')}
      verb={t('projects.add')}
      schema={ProjectDraft}
      start={{ name: '', description: '', enabled: true }}
      send={(body) => create.run({ body })}
      closeTo={projectResource.paths.list()}
    >
      <ProjectFields />
    </FormDialog>
  )
}
