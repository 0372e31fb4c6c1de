import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import type { Named, Resource, ResourceOf } from '../../nav/resource'
import { useParam } from '../../nav/use-param'
import { toast } from '../../notices/notices'
import { FormDialog } from '../form/FormDialog'
import type { ResourceForm } from './form'
import { useResourceText } from './use-resource-text'

interface PlainFormProps<Item extends Named> {
  resource: ResourceOf<Item>
  form: ResourceForm<Item>
}
type Send = { run: (input: object) => Promise<unknown> }

/** Sends a form's call, and says so. */
function useSend(resource: Resource, endpoint: Endpoint, done: (item: Named) => string): Send {
  const { list, view } = resource.calls
  return useCall(endpoint, {
    refresh: view ? [list, view] : [list],
    done: (reply) => toast(done(reply as Named)),
  })
}

/** Makes one, in a form over the list. */
export function PlainAddForm<Item extends Named>({ resource, form: { create, Fields } }: PlainFormProps<Item>) {
  const say = useResourceText(resource)
  const call = useSend(resource, resource.calls.create!, ({ name }) => say('added', { name }))
  return (
    <FormDialog
      title={say('add')}
      verb={say('add')}
      schema={create!.schema}
      start={create!.start}
      send={(body) => call.run({ body })}
      closeTo={resource.paths.list()}
    >
      <Fields />
    </FormDialog>
  )
}

/** Changes one, in a form over its details. */
export function PlainEditForm<Item extends Named>(props: PlainFormProps<Item>) {
  const { kind, calls } = props.resource
  const id = useParam('id')
  const { data } = useView(calls.view!, { id }, { kind })
  return data ? <EditForm {...props} item={data} /> : null
}

const neverBarred = () => undefined

function EditForm<Item extends Named>(props: PlainFormProps<Item> & { item: Item }) {
  const {
    resource,
    form: { update, Fields },
    item,
  } = props
  const { schema, start, useBarred = neverBarred } = update!
  const say = useResourceText(resource)
  const t = useT('patterns')
  const barred = useBarred()
  const { id, name } = item
  const call = useSend(resource, resource.calls.update!, (saved) => say('saved', { name: saved.name }))
  return (
    <FormDialog
      title={say('editTitle', { name })}
      verb={t('save')}
      schema={schema}
      start={start(item)}
      send={(body) => call.run({ params: { id }, body })}
      closeTo={resource.paths.view(id)}
      barredBecause={barred}
    >
      <Fields />
    </FormDialog>
  )
}
