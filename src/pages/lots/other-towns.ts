/** Towns of the same name as the one that lots are searched around: the largest was taken, and may not be meant. */
import { placesMeant } from '../../catalog/places/places.ts';
import { addressOf, type SearchPath, type SearchQuery } from './lot-search.ts';

const MAX_OTHERS = 4;

/** Each with the address that searches around it instead; none where no town was typed. */
export function otherTowns(
  query: SearchQuery,
  path: SearchPath = '/lots',
): { readonly label: string; readonly address: string }[] {
  const [town = '', state] = query.place?.split(', ') ?? [];
  if (query.near === undefined || town === '') return [];
  return placesMeant(town)
    .filter((place) => place.name === town && place.state !== state)
    .slice(0, MAX_OTHERS)
    .map((place) => {
      const label = `${place.name}, ${place.state}`;
      return { label, address: addressOf(query, { near: `${place.lat},${place.lng}`, place: label }, path) };
    });
}
