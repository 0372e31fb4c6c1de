import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { FieldValues } from 'react-hook-form'
import type * as z from 'zod'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useParents } from '../../nav/parents'
import type { Named, Resource, ResourceOf } from '../../nav/resource'
import { useParam } from '../../nav/use-param'
import { toast } from '../../notices/notices'
import { InProject } from '../InProject'
import { FormDialog } from '../form/FormDialog'
import { PlainField } from './PlainField'
import type { ResourceForm } from './screens'
import { useResourceText } from './use-resource-text'

interface PlainFormProps<Item extends Named> {
  resource: ResourceOf<Item>
  form: ResourceForm<Item>
  /** Schema for the call that the form makes. */
  schema: z.ZodType<unknown, FieldValues>
}
type Send = { run: (input: object) => Promise<unknown> }

/** The call that a form makes; shows a notification on success. */
function useSend(resource: Resource, endpoint: Endpoint, done: (item: Named) => string): Send {
  const { list, view } = resource.calls
  return useCall(endpoint, {
    refresh: view ? [list, view] : [list],
    done: (reply) => toast(done(reply as Named)),
  })
}

/** The create form, over the list. For a project resource, asks for a project first if none is selected. */
export function PlainAddForm<Item extends Named>(props: PlainFormProps<Item>) {
  const { kind, paths } = props.resource
  const parents = useParents(props.resource)
  const form = <AddForm {...props} />
  const isOfProject = kind.filters['project_id']?.path === 'project_id'
  return isOfProject ? <InProject closeTo={paths.list(parents)}>{form}</InProject> : form
}

function AddForm<Item extends Named>({ resource, form, schema }: PlainFormProps<Item>) {
  const say = useResourceText(resource)
  const parents = useParents(resource)
  const call = useSend(resource, resource.calls.create!, ({ name }) => say('added', { name }))
  return (
    <FormDialog
      title={say('add')}
      verb={say('add')}
      schema={schema}
      start={form.create!.start}
      send={(body) => call.run({ params: parents, body })}
      closeTo={resource.paths.list(parents)}
    >
      <Fields form={form} />
    </FormDialog>
  )
}

/** The edit form, over the details. */
export function PlainEditForm<Item extends Named>(props: PlainFormProps<Item>) {
  const { kind, calls } = props.resource
  const parents = useParents(props.resource)
  const id = useParam('id')
  const { data } = useView(calls.view!, { ...parents, id }, { kind })
  return data ? <EditForm {...props} item={data} /> : null
}

/** The fields, with the focus on the first one. */
function Fields<Item extends Named>({ form }: Pick<PlainFormProps<Item>, 'form'>) {
  const useFields = 'useFields' in form ? form.useFields : () => form.fields
  return useFields().map((field, at) => <PlainField key={field.name} field={field} autoFocus={at === 0} />)
}

const neverBarred = () => undefined

function EditForm<Item extends Named>(props: PlainFormProps<Item> & { item: Item }) {
  const { resource, form, schema, item } = props
  const { start, useBarred = neverBarred } = form.update!
  const say = useResourceText(resource)
  const t = useT('patterns')
  const barred = useBarred()
  const parents = useParents(resource)
  const { id, name } = item
  const call = useSend(resource, resource.calls.update!, (saved) => say('saved', { name: saved.name }))
  return (
    <FormDialog
      title={say('editTitle', { name })}
      verb={t('save')}
      schema={schema}
      start={start(item)}
      send={(body) => call.run({ params: { ...parents, id }, body })}
      closeTo={resource.paths.view(id, parents)}
      barredBecause={barred}
    >
      <Fields form={form} />
    </FormDialog>
  )
}
