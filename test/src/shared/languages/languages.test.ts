/**
 * A language is one file: it has every text that people read, no other, each with its values; and what is said with it
 * is what people of that language write.
 */
import { expect } from 'chai';
import { IntlMessageFormat } from 'intl-messageformat';
import { acceptedLanguage, LANGUAGE_CODES, type Language, LOCALES } from '../../../../src/shared/language.ts';
import { answerIn } from '../../../../src/shared/languages/answer-in.ts';
import { localAmount } from '../../../../src/shared/languages/local-amounts.ts';
import { inLanguage, Phrasebook, textsOf } from '../../../../src/shared/languages/phrasebook.ts';
import { inAnotherLanguage } from '../../../../src/shared/languages/template-texts.ts';
import { amountTyped, centsTyped } from '../../../../src/shared/typed-amount.ts';
import { textsIn, textsOfService } from '../../../support/texts.ts';

const OTHERS = LANGUAGE_CODES.filter((code): code is Exclude<Language, 'en'> => code !== 'en');

const holesIn = (text: string) =>
  [...new Set([...text.matchAll(/\{(\d+)(?=[,}])/g)].map(([, n]) => n))].sort();

describe('a language', () => {
  const needed = textsOfService();

  for (const language of OTHERS) {
    const texts = textsOf(language);

    it(`has every text of the service, and no other: ${language}`, () => {
      const missing = [...needed]
        .filter(([text]) => !(text in texts))
        .map(([text, file]) => `${file}: ${text}`);
      expect(missing, 'these have no translation').to.deep.equal([]);
      expect(
        Object.keys(texts).filter((text) => !needed.has(text)),
        'nobody says these',
      ).to.deep.equal([]);
    });

    it(`has in each the values of the English one, in a message that can be read: ${language}`, () => {
      for (const [text, said] of Object.entries(texts)) {
        expect(said.trim(), text).not.to.equal('');
        if (!text.includes('{0}')) continue;
        expect(holesIn(said), `${text} → ${said}`).to.deep.equal(holesIn(text));
        expect(
          () => new IntlMessageFormat(said, LOCALES[language], undefined, { ignoreTag: true }),
          said,
        ).not.to.throw();
      }
    });
  }

  it('is the one that a browser likes best of those that there are', () => {
    const cases: [string | undefined, Language][] = [
      [undefined, 'en'],
      ['*', 'en'],
      ['de', 'de'],
      ['de-AT,de;q=0.9,en;q=0.5', 'de'],
      ['pt-BR', 'pt'],
      ['ja, fr;q=0.8, en;q=0.9', 'en'],
      ['ja, fr;q=0.8', 'fr'],
      ['es;q=0, de;q=0.1', 'de'],
      ['not a header;;;', 'en'],
      [`de${','.repeat(10_000)}`, 'en'],
    ];
    for (const [header, language] of cases) expect(acceptedLanguage(header), header).to.equal(language);
  });
});

describe('a phrasebook', () => {
  const book = new Phrasebook('de', {
    Bids: 'Gebote',
    '{0} bids': '{0, plural, one {# Gebot} other {# Gebote}}',
    'Lot {0}': 'Los {0}',
    'The bid must be at least {0}.': 'Das Gebot muss mindestens {0} betragen.',
    '{0} is in lot {1}': 'In Los {1} ist {0}',
    'must be JSON, such as {"a": 1}': 'muss JSON sein, etwa {"a": 1}',
  });

  it('says a text, and one that values are already in', () => {
    expect(book.say('Bids')).to.equal('Gebote');
    expect(book.say(' Bids\n')).to.equal(' Gebote\n');
    expect(book.say('1 bids')).to.equal('1 Gebot');
    expect(book.say('Some bids')).to.equal('Some bids');
    expect(book.say('1,200 bids')).to.equal('1.200 Gebote');
    expect(book.say('The bid must be at least $1,250.00.')).to.equal(
      'Das Gebot muss mindestens 1.250,00\u00a0$ betragen.',
    );
    expect(book.say('A cow is in lot 7')).to.equal('In Los 7 ist A cow');
    expect(book.say('must be JSON, such as {"a": 1}')).to.equal('muss JSON sein, etwa {"a": 1}');
  });

  it('leaves what it does not know, and values with signs of its own messages', () => {
    expect(book.say('A cow')).to.equal('A cow');
    expect(book.say("Lot {0} <b> '{1}' #")).to.equal("Los {0} <b> '{1}' #");
    expect(book.say('is in lot 7')).to.equal('is in lot 7');
    expect(book.say('x'.repeat(50_000))).to.have.length(50_000);
  });

  it('looks at what people wrote once, whatever it is made of', () => {
    const many = new Phrasebook('de', { '{0}, {1} of {2} in {3}, {4} at {5}.': '{0}{1}{2}{3}{4}{5}' });
    const started = process.cpuUsage();
    for (let n = 0; n < 200; n += 1) many.say(`${n}${', a of a in a'.repeat(70)}`);
    const { user } = process.cpuUsage(started);
    expect(user / 1_000, 'milliseconds').to.be.below(2_000);
  });

  it('puts its texts into a template, values escaped, and leaves what browsers read', () => {
    const template =
      '<p class="Bids" title="Bids">Bids <b translate="no">Bids</b></p><p>Lot <%= it.n %></p><input value="Bids"><code>Bids</code>';
    expect(textsIn(template)).to.deep.equal(['Bids', 'Bids', 'Lot {0}']);
    expect(inAnotherLanguage(template, (text) => book.say(text))).to.equal(
      '<p class="Bids" title="Gebote">Gebote <b translate="no">Bids</b></p>' +
        '<p><%~ __fill("Lot {0}", [__safe(__say(it.n))]) %></p><input value="Bids"><code>Bids</code>',
    );
  });

  it('takes no title for a text, and knows one of ours beside it', () => {
    const shownIn = (value: string) => inAnotherLanguage(`<b><%= ${value} %></b>`, String);
    for (const value of [
      'row.title',
      'it.sale.title',
      'photo.title',
      'member.name',
      'row.reason',
      'place || lot.title',
      'search.name',
      'it.operator.name',
      'subscription.description',
      'question.text',
      'item.file_name',
      'lot.close_group',
      'paragraph',
    ])
      expect(shownIn(value)).to.equal(`<b><%= ${value} %></b>`);
    for (const value of [
      "isMe ? 'Leave' : 'Remove ' + member.name",
      'one.label',
      'chart.title',
      "lot.title ?? 'Bids'",
    ])
      expect(shownIn(value)).to.equal(`<b><%= __say(${value}) %></b>`);
  });

  it('leaves as it is what is typed into a field, which would be stored as it is shown', () => {
    const template = '<textarea title="Bids"><%= one.answer ?? it.about %></textarea>';
    expect(inAnotherLanguage(template, (text) => book.say(text))).to.equal(
      '<textarea title="Gebote"><%= one.answer ?? it.about %></textarea>',
    );
  });
});

describe('an answer in a language', () => {
  it('has our own sentence in it, and nothing else that looks like one', () => {
    const taken = {
      status: 201,
      raw: '{"success":true,"message":"Not found.","data":{"message":"Not found."}}',
    };
    const said = textsOf('de')['Not found.'];
    const german = answerIn('de', taken);
    expect(german.raw).to.equal(`{"success":true,"message":"${said}","data":{"message":"Not found."}}`);
    expect(german.headers).to.deep.equal({ 'Content-Language': 'de' });
    const list = { status: 200, raw: '{"data":[{"message":"Not found."}]}' };
    expect(answerIn('de', list)).to.equal(list);
    for (const header of [undefined, '*', 'en', 'ja'])
      expect(answerIn(header, taken), header).to.equal(taken);
  });
});

describe('amounts in a language', () => {
  it('are read as people write them, and never as two things', () => {
    for (const [text, language, amount] of [
      ['25.500,00', 'de', '25500.00'],
      ['25.500', 'de', '25500.00'],
      ['25 500,5 €', 'fr', '25500.50'],
      ['25\u202f500,00', 'fr', '25500.00'],
      ['1.000.000', 'es', '1000000.00'],
      ['525.00', 'pt', '525.00'],
      ['12,5', 'de', '12.50'],
      ['25,500.00', 'de', null],
      ['25.500,00', 'en', null],
      ['25,500.00', 'en', '25500.00'],
      ['1.25.000', 'de', null],
      ['', 'de', null],
    ] as const)
      expect(amountTyped(text, language), `${text} in ${language}`).to.equal(amount);
    // Of a currency with three decimals this is one dinar and a bit, or twelve hundred.
    expect(centsTyped('1.234', 3, 'de')).to.equal(null);
    expect(centsTyped('1,234', 3, 'de')).to.equal(1_234);
    expect(centsTyped('1.234', 3, 'en')).to.equal(1_234);
  });

  it('are written in sentences as the language writes them', () => {
    expect(localAmount('$1,250.00', 'de')).to.equal('1.250,00\u00a0$');
    expect(localAmount('¥22,000', 'de')).to.match(/^22\.000\u00a0/);
    expect(localAmount('KWD\u00a01.234', 'de')).to.equal('1,234\u00a0KWD');
    expect(localAmount('12', 'de')).to.equal('12');
    expect(inLanguage('en', 'Bids')).to.equal('Bids');
  });
});
