import {
  DEFAULT_GROUP_NAME,
  SecurityGroupChange,
  securityGroupKind,
  securityGroups,
  type SecurityGroup,
} from '@mainstay/contract/networking/security-groups'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextArea, TextField } from '../../../patterns/form/form-fields'
import { securityGroupResource } from './resource'

const Edit = SecurityGroupChange.required()
const { paths } = securityGroupResource

/**
 * `security-groups/{groupId}/edit/{returnRoute?}`: edits a security group. Returns to the list if `returnRoute` is
 * `list`, otherwise to the group.
 */
export default function SecurityGroupEditForm() {
  const { data } = useView(securityGroups.view, { id: useParam('id') }, { kind: securityGroupKind })
  return data ? <Form group={data} /> : null
}

function Form({ group: { id, name, description } }: { group: SecurityGroup }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const closeTo = useCloseTo(paths.list(), paths.view(id))
  const update = useCall(securityGroups.update, {
    refresh: [securityGroups.list, securityGroups.view],
    done: (it) => toast(t('securityGroups.saved', { name: it.name })),
  })
  return (
    <FormDialog
      title={t('securityGroups.editTitle', { name })}
      verb={patterns('save')}
      schema={Edit}
      start={{ name, description }}
      send={(form) =>
        update.run({
          params: { id },
          body: {
            ...(form.name !== name && { name: form.name }),
            ...(form.description !== description && { description: form.description }),
          },
        })
      }
      closeTo={closeTo}
      barredBecause={name === DEFAULT_GROUP_NAME ? t('securityGroups.keepsName') : undefined}
    >
      <TextField name="name" label={t('name')} autoFocus />
      <TextArea name="description" label={t('description')} isOptional rows={2} />
    </FormDialog>
  )
}
