import { domains } from '@mainstay/contract/identity/domains'
import { ProjectDraft, projects } from '@mainstay/contract/identity/projects'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { DomainChoice } from '../../../pickers/DomainChoice'
import { InDomain, useDomainOfForm } from '../in-domain'
import { ProjectFields } from './ProjectFields'
import { projectResource } from './resource'

const Form = ProjectDraft.safeExtend(InDomain.shape)

/** `/projects/add`: creates a project. */
export default function ProjectAddForm() {
  const t = useT('identity')
  const { isAsked, start } = useDomainOfForm()
  const create = useCall(projects.create, {
    refresh: [projects.list, domains.list],
    done: ({ name }) => toast(t('projects.added', { name })),
  })
  return (
    <FormDialog
      title={t('projects.add')}
      verb={t('projects.add')}
      schema={Form}
      start={{ ...start, name: '', description: '', enabled: true }}
      send={({ domain_id, ...body }) => create.run({ params: { domain_id: domain_id! }, body })}
      closeTo={projectResource.paths.list()}
    >
      {isAsked && <DomainChoice name="domain_id" />}
      <ProjectFields />
    </FormDialog>
  )
}
