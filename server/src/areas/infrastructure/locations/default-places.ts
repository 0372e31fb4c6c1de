import { namedId } from '@mainstay/engines/ports/named-id'

/** IDs of the default room, row and rack, which always exist. A node is in them until an operator moves it. */
export const defaultPlaces = {
  roomId: namedId('room-default'),
  rowId: namedId('row-default'),
  rackId: namedId('rack-default'),
}
