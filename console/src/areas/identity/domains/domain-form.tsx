import { DomainChange } from '@mainstay/contract/identity/domains'
import { form } from '../../../patterns/resource/form'
import { DomainFields } from './DomainFields'
import { domainResource } from './resource'

export default form(domainResource, {
  update: { schema: DomainChange, start: ({ name, description }) => ({ name, description }) },
  Fields: DomainFields,
})
